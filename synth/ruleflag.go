package synth

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ParseFlag reads the value of a --dataset flag into rules: a preset's name, what to change of it
// after a question mark, or, with no name, all fields of a rule:
//
//	retinanet
//	retinanet?bucket=mlp&count=50203282
//	?bucket=b&key=shards/{i}.tar&count=1000&size=lognormal(256MiB,64MiB)
//
// The fields are those of ParseYAML, as an URL's query, so & and % in a value are written %26 and
// %25. Errors wrap ErrBadRule.
func ParseFlag(s string) ([]Rule, error) {
	name, query, _ := strings.Cut(s, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("%w: cannot parse %q: %w", ErrBadRule, query, err)
	}
	if name != "" {
		values["preset"] = append(values["preset"], name)
	}
	var fields []ruleField
	for name, all := range values {
		for _, value := range all {
			fields = append(fields, ruleField{name: name, value: value})
		}
	}
	// So that of several errors it is always the same one that is told.
	slices.SortStableFunc(fields, func(a, b ruleField) int { return strings.Compare(a.name, b.name) })
	return buildRules(fields, 0)
}
