package server

// nullVersion is the version id of every object in a bucket that never had
// versioning. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/versioning-workflows.html
const nullVersion = "null"

// checkVersionID accepts the null version, the only one there is.
func (r *request) checkVersionID() error {
	v, ok := r.target.param("versionId")
	if !ok || string(v) == nullVersion {
		return nil
	}
	if len(v) == 0 {
		return invalidArgument("versionId", "", "Version id cannot be the empty string")
	}
	return invalidArgument("versionId", string(v), "Invalid version id specified")
}
