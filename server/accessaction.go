package server

import "strings"

// The actions that S3 has, in lower case: what is done to buckets, and what to
// objects. Those of accounts, access points and tables have no place in a bucket's
// policy.
//
// Source: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
var (
	bucketActions = actionNames(`CreateBucket CreateBucketMetadataTableConfiguration DeleteBucket
		DeleteBucketMetadataTableConfiguration DeleteBucketPolicy DeleteBucketWebsite GetAccelerateConfiguration
		GetAnalyticsConfiguration GetBucketAbac GetBucketAcl GetBucketCORS GetBucketLocation GetBucketLogging
		GetBucketMetadataTableConfiguration GetBucketNotification GetBucketObjectLockConfiguration
		GetBucketOwnershipControls GetBucketPolicy GetBucketPolicyStatus GetBucketPublicAccessBlock
		GetBucketRequestPayment GetBucketTagging GetBucketVersioning GetBucketWebsite GetEncryptionConfiguration
		GetIntelligentTieringConfiguration GetInventoryConfiguration GetLifecycleConfiguration
		GetMetricsConfiguration GetReplicationConfiguration ListBucket ListBucketMultipartUploads
		ListBucketVersions ListTagsForResource PutAccelerateConfiguration PutAnalyticsConfiguration PutBucketAbac PutBucketAcl PutBucketCORS
		PutBucketLogging PutBucketNotification PutBucketObjectLockConfiguration PutBucketOwnershipControls
		PutBucketPolicy PutBucketPublicAccessBlock PutBucketRequestPayment PutBucketTagging
		PutBucketVersioning PutBucketWebsite PutEncryptionConfiguration PutIntelligentTieringConfiguration
		PutInventoryConfiguration PutLifecycleConfiguration PutMetricsConfiguration
		PutReplicationConfiguration TagResource UntagResource
		UpdateBucketMetadataInventoryTableConfiguration UpdateBucketMetadataJournalTableConfiguration`)
	objectActions = actionNames(`AbortMultipartUpload BypassGovernanceRetention DeleteObject
		DeleteObjectTagging DeleteObjectVersion DeleteObjectVersionTagging GetObject GetObjectAcl
		GetObjectAttributes GetObjectLegalHold GetObjectRetention GetObjectTagging GetObjectTorrent
		GetObjectVersion GetObjectVersionAcl GetObjectVersionAttributes GetObjectVersionForReplication
		GetObjectVersionTagging GetObjectVersionTorrent InitiateReplication ListMultipartUploadParts
		ObjectOwnerOverrideToBucketOwner PutObject PutObjectAcl PutObjectLegalHold PutObjectRetention
		PutObjectTagging PutObjectVersionAcl PutObjectVersionTagging ReplicateDelete ReplicateObject
		ReplicateTags RestoreObject UpdateObjectEncryption`)
)

func actionNames(text string) []string {
	names := strings.Fields(strings.ToLower(text))
	for i := range names {
		names[i] = "s3:" + names[i]
	}
	return names
}

// Actions that anonymous requests need besides the one of their operation.
const (
	actionGetObject           = "s3:GetObject"
	actionGetObjectVersion    = "s3:GetObjectVersion"
	actionListBucket          = "s3:ListBucket"
	actionDeleteObject        = "s3:DeleteObject"
	actionDeleteObjectVersion = "s3:DeleteObjectVersion"
	actionPutObject           = "s3:PutObject"
	actionPutObjectTagging    = "s3:PutObjectTagging"
)

// matchWildcard tells whether pattern, in which * stands for any bytes and ? for
// one, fits the whole text. It takes at most len(pattern)*len(text) steps.
func matchWildcard[T string | []byte](pattern string, text T) bool {
	p, t := 0, 0
	star, from := -1, 0 // the last star, and where the text behind it began
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
