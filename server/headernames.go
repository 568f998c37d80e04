package server

// Names of reply headers, as bytes: fasthttp's setter for names that are
// already in canonical form takes no strings.
var (
	nameAcceptRanges     = []byte("Accept-Ranges")
	nameContentRange     = []byte("Content-Range")
	nameContentType      = []byte("Content-Type")
	nameETag             = []byte("Etag")
	nameLastModified     = []byte("Last-Modified")
	nameRequestID        = []byte("X-Amz-Request-Id")
	nameMPPartsCount     = []byte("X-Amz-Mp-Parts-Count")
	nameBucketRegion     = []byte("X-Amz-Bucket-Region")
	nameChecksumType     = []byte("X-Amz-Checksum-Type")
	nameTaggingCount     = []byte("X-Amz-Tagging-Count")
	nameVersionID        = []byte("X-Amz-Version-Id")
	nameSourceVersionID  = []byte("X-Amz-Copy-Source-Version-Id")
	nameDeleteMarker     = []byte("X-Amz-Delete-Marker")
	nameLocation         = []byte("Location")
	nameContentTypeXML   = []byte("application/xml")
	valueTrue            = []byte("true")
	valueBytes           = []byte("bytes")
	valueOctetStream     = []byte("binary/octet-stream")
	nameChecksumAlgoName = []byte("X-Amz-Checksum-Algorithm")
)

// Names of headers that an error reply carries, see apiError.withHeader.
const (
	headerVersionID    = "X-Amz-Version-Id"
	headerDeleteMarker = "X-Amz-Delete-Marker"
)
