package synth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"go.yaml.in/yaml/v3"
)

// ParseYAML reads a file of data sets into rules:
//
//	datasets:
//	  - preset: retinanet        # a preset and what to change of it
//	    bucket: mlp
//	  - name: shards             # or a rule of one's own; bucket, key, count, size are needed
//	    bucket: b
//	    key: shards/{i}.tar
//	    count: 1000
//	    size: lognormal(256MiB, 64MiB)
//	    first: 0
//	    folders: 0
//	    seed: 0
//	    content-type: application/x-tar
//	    last-modified: 2025-01-01T00:00:00Z
//
// Unknown and repeated fields are refused. Errors wrap ErrBadRule and name the line.
func ParseYAML(data []byte) ([]Rule, error) {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: the file is empty", ErrBadRule)
		}
		// yaml's own line is often that of the enclosing list, and this is the likely mistake.
		for n, line := range bytes.Split(data, []byte("\n")) {
			if bytes.Contains(line, []byte(": {")) {
				return nil, fmt.Errorf("%w: line %d: text that starts with { is quoted (%w)", ErrBadRule, n+1, err)
			}
		}
		return nil, fmt.Errorf("%w: %w", ErrBadRule, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: the file goes on after its first document", ErrBadRule)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || len(root.Content) != 2 || root.Content[0].Value != "datasets" || root.Content[1].Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%w: line %d: the file holds one field, datasets, and that a list", ErrBadRule, root.Line)
	}
	var rules []Rule
	for _, entry := range root.Content[1].Content {
		fields, err := yamlFields(entry)
		if err != nil {
			return nil, err
		}
		r, err := buildRules(fields, entry.Line)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r...)
	}
	return rules, nil
}

// yamlFields returns the fields of one entry, whose values are scalars or aliases of scalars.
func yamlFields(entry *yaml.Node) ([]ruleField, error) {
	if entry.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%w: line %d: a data set is a list of fields, such as key: value", ErrBadRule, entry.Line)
	}
	var fields []ruleField
	for k := 0; k+1 < len(entry.Content); k += 2 {
		name, value := entry.Content[k], entry.Content[k+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		// An unquoted {i} is a mapping to YAML.
		if name.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null" {
			return nil, fmt.Errorf("%w: line %d: %s: the value is not text or a number; text that starts with { is quoted", ErrBadRule, value.Line, name.Value)
		}
		fields = append(fields, ruleField{name: name.Value, value: value.Value, line: name.Line})
	}
	return fields, nil
}

// yamlRule is a Rule as MarshalYAML writes it. The order is the one to read.
type yamlRule struct {
	Name         string    `yaml:"name,omitempty"`
	Bucket       string    `yaml:"bucket"`
	Key          string    `yaml:"key"`
	First        int64     `yaml:"first,omitempty"`
	Count        int64     `yaml:"count"`
	Folders      int64     `yaml:"folders,omitempty"`
	Size         any       `yaml:"size"` // int64, which needs no quotes, or a distribution
	Seed         uint64    `yaml:"seed"`
	ContentType  string    `yaml:"content-type,omitempty"`
	LastModified time.Time `yaml:"last-modified"`
}

// MarshalYAML writes rules as a file that ParseYAML reads back as the same rules. The default
// last-modified time is written out.
func MarshalYAML(rules []Rule) ([]byte, error) {
	file := struct {
		Datasets []yamlRule `yaml:"datasets"`
	}{}
	for _, r := range rules {
		y := yamlRule{
			Name: r.Name, Bucket: r.Bucket, Key: r.Key, First: r.First, Count: r.Count, Folders: r.Folders,
			Size: r.Size.String(), Seed: r.Seed, ContentType: r.ContentType, LastModified: r.LastModified.UTC(),
		}
		if r.Size.Distribution == Constant {
			y.Size = r.Size.Mean
		}
		if r.LastModified.IsZero() {
			y.LastModified = DefaultLastModified()
		}
		file.Datasets = append(file.Datasets, y)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(file); err != nil {
		return nil, fmt.Errorf("cannot write data sets as YAML: %w", err)
	}
	return out.Bytes(), nil
}
