package main

import (
	"fmt"

	"github.com/s3ultra/s3ultra/synth"
)

const (
	// Fixed, so that what is pasted works with each start.
	demoAccessKey = "demo"
	demoSecretKey = "demo-secret"

	demoSynthBucket  = "demo-synth"
	demoMemoryBucket = "demo-memory"

	// About a thousandth of MLPerf Storage's RetinaNet data set in number, and
	// its object size in bytes.
	demoObjects    = 1000
	demoObjectSize = 322957
)

// demoBuckets returns the demo's --bucket specifications.
func demoBuckets() []string {
	return []string{demoSynthBucket + ":synth", demoMemoryBucket + ":memory"}
}

// demoDataset is the demo's data set.
func demoDataset() synth.Rule {
	return synth.Rule{
		Name: "demo", Bucket: demoSynthBucket, Key: "train/img_{i}_of_{n}.jpg",
		Count: demoObjects, Size: synth.Size{Mean: demoObjectSize}, ContentType: "image/jpeg",
	}
}

// demoKey is the key of the first object of demoDataset.
const demoKey = "train/img_0000_of_1000.jpg"

// appendDemoCommands appends lines to paste into another shell after the
// exports.
func appendDemoCommands(dst []byte) []byte {
	return fmt.Appendf(dst, `
# The exports above and these lines can be pasted into another shell.
# AWS CLI (pip install awscli)
aws s3 ls s3://%[1]s/train/ | tail -3
aws s3 cp s3://%[1]s/%[3]s - | wc -c
echo hello | aws s3 cp - s3://%[2]s/hello.txt && aws s3 cp s3://%[2]s/hello.txt -
# boto3 (pip install boto3)
python3 -c 'import boto3; s3 = boto3.client("s3"); s3.put_object(Bucket="%[2]s", Key="boto3.txt", Body=b"hello"); print(s3.get_object(Bucket="%[2]s", Key="boto3.txt")["Body"].read(), s3.head_object(Bucket="%[1]s", Key="%[3]s")["ContentLength"])'
# s3dlio (pip install s3dlio)
python3 -c 'import s3dlio; names = s3dlio.list("s3://%[1]s/train/", recursive=True); print(len(names), "objects;", len(s3dlio.get("s3://%[1]s/%[3]s")), "bytes")'
`, demoSynthBucket, demoMemoryBucket, demoKey)
}
