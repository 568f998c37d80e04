package synth

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Preset is a data set known by name: a workload of the MLPerf Storage benchmark, with the names
// that DLIO (github.com/argonne-lcf/dlio_benchmark) gives its objects. Counts and sizes are those of
// configs/dlio/workload in github.com/mlcommons/storage.
type Preset struct {
	// Name is what --dataset and "preset:" take.
	Name string

	// About is one line on what it is.
	About string

	// folder is data_folder or checkpoint_folder of the workload.
	folder string

	// extension is the file format of a training set, or "" for a checkpoint.
	extension string
	count     int64
	size      Size

	model llamaModel // of a checkpoint
}

// presets returns all presets in the order in which they are shown.
func presets() []Preset {
	training := func(name, about, extension string, count int64, size Size) Preset {
		return Preset{Name: name, About: about, folder: "data/" + name, extension: extension, count: count, size: size}
	}
	checkpoint := func(size string, m llamaModel) Preset {
		return Preset{Name: "llama3-" + size, About: "one checkpoint of Llama 3 " + strings.ToUpper(size), folder: "checkpoints/llama_" + size, model: m}
	}
	return []Preset{
		// The lower limit is record_length_bytes_resize, what a reader takes of each sample: one
		// draw in sixty would be below 0.
		training("unet3d", "3D medical images, npz", "npz", 168, Size{Normal, 146_600_628, 68_341_808, 2_097_152, defaultMaxSize}),
		training("resnet50", "ImageNet, 1,251 records a file, tfrecord", "tfrecord", 1024, Size{Mean: 1251 * 114_660}),
		training("cosmoflow", "simulated universes, tfrecord", "tfrecord", 524_288, Size{Normal, 2_828_486, 71_311, 1, defaultMaxSize}),
		training("retinanet", "Open Images, jpeg; 50,203,282 in the largest runs", "jpeg", 1_170_301, Size{Mean: 322_957}),
		training("dlrm", "click logs, 4,718,592 rows a file, parquet", "parquet", 1024, Size{Mean: 4_718_592 * 761}),
		training("flux", "text-to-image latents, 288 samples a file, parquet", "parquet", 4296, Size{Mean: 288 * 2_164_832}),
		checkpoint("8b", llamaModel{layers: 32, vocab: 128_256, hidden: 4096, ffn: 14_336, heads: 32, kvHeads: 8, tensor: 1, pipeline: 1, zero: 3, ranks: 8}),
		checkpoint("70b", llamaModel{layers: 80, vocab: 128_256, hidden: 8192, ffn: 28_672, heads: 128, kvHeads: 8, tensor: 8, pipeline: 1, zero: 3, ranks: 64}),
		checkpoint("405b", llamaModel{layers: 126, vocab: 128_256, hidden: 16_384, ffn: 53_248, heads: 128, kvHeads: 8, tensor: 8, pipeline: 32, zero: 1, ranks: 512}),
		checkpoint("1t", llamaModel{layers: 128, vocab: 128_256, hidden: 25_872, ffn: 98_304, heads: 192, kvHeads: 32, tensor: 8, pipeline: 64, zero: 1, ranks: 1024}),
	}
}

// Presets returns all presets in the order in which to show them.
func Presets() []Preset { return presets() }

func findPreset(name string) (Preset, bool) {
	all := presets()
	k := slices.IndexFunc(all, func(p Preset) bool { return p.Name == name })
	if k < 0 {
		return Preset{}, false
	}
	return all[k], true
}

func presetNames() []string {
	var names []string
	for _, p := range presets() {
		names = append(names, p.Name)
	}
	return names
}

// Rules returns the rules of the preset with nothing changed.
func (p Preset) Rules() ([]Rule, error) { return ParseFlag(p.Name) }

// maxSteps bounds the checkpoints of a preset: a run has 10, and a step of the largest model has
// 133 rules.
const maxSteps = 100

// rules returns the rules of the preset changed by o.
func (p Preset) rules(o *ruleOptions) ([]Rule, error) {
	folder := p.folder
	if o.given["folder"] {
		folder = o.folder
	}
	if folder != "" {
		// Braces of a folder's name are no fields.
		folder = strings.NewReplacer("{", "{{", "}", "}}").Replace(folder) + "/"
	}
	base := o.rule
	if base.Name == "" {
		base.Name = p.Name
	}
	if !o.given["bucket"] {
		base.Bucket = DefaultBucket
	}
	if p.extension != "" {
		return p.trainingRules(o, base, folder)
	}
	if err := o.refuse(p.Name, "key", "first", "count", "folders", "size", "valid"); err != nil {
		return nil, err
	}
	if !o.given["steps"] {
		o.steps = 1
	}
	if o.steps < 1 || o.steps > maxSteps {
		return nil, fmt.Errorf("steps %d is not in 1 to %d", o.steps, maxSteps)
	}
	if o.given["ranks"] {
		p.model.ranks = o.ranks
	}
	return p.model.rules(base, folder, o.steps)
}

func (p Preset) trainingRules(o *ruleOptions, train Rule, folder string) ([]Rule, error) {
	if err := o.refuse(p.Name, "ranks", "steps"); err != nil {
		return nil, err
	}
	subfolder := ""
	if train.Folders > 0 {
		subfolder = "{f}/"
	}
	if !o.given["key"] {
		train.Key = folder + "train/" + subfolder + "img_{i}_of_{n}." + p.extension
	}
	if !o.given["count"] {
		train.Count = p.count
	}
	if !o.given["size"] {
		train.Size = p.size
	}
	if o.valid == 0 {
		return []Rule{train}, nil
	}
	valid := train
	valid.Name, valid.Count = train.Name+"-valid", o.valid
	// DLIO names the folder so, in place of train.
	at := strings.LastIndex(train.Key, "train/")
	if at < 0 {
		return nil, errors.New(`valid needs a key with "train/" in it`)
	}
	valid.Key = train.Key[:at] + "valid/" + train.Key[at+len("train/"):]
	return []Rule{train, valid}, nil
}

// Summary is what a listing of data sets shows.
type Summary struct {
	// Objects and Bytes are sums; Exact is whether Bytes is, see Dataset.TotalBytes.
	Objects, Bytes int64
	Exact          bool

	// Smallest and Largest are the least and the greatest Mean of the rules' sizes, or for uniform
	// ones Min and Max.
	Smallest, Largest int64

	// Size is the size if all rules have the same one, otherwise "".
	Size string
}

// Summarize compiles rules and sums them up, as slow as Dataset.TotalBytes. Errors wrap ErrBadRule.
func Summarize(rules []Rule) (Summary, error) {
	sum := Summary{Exact: true}
	for k, r := range rules {
		d, err := NewDataset(r)
		if err != nil {
			return Summary{}, err
		}
		bytes, exact := d.TotalBytes()
		sum.Objects += d.Len()
		sum.Bytes += min(bytes, math.MaxInt64-sum.Bytes)
		sum.Exact = sum.Exact && exact
		low, high := r.Size.Mean, r.Size.Mean
		if r.Size.Distribution == Uniform {
			low, high = r.Size.Min, r.Size.Max
		}
		if k == 0 {
			sum.Smallest, sum.Largest, sum.Size = low, high, r.Size.String()
			continue
		}
		sum.Smallest, sum.Largest = min(sum.Smallest, low), max(sum.Largest, high)
		if sum.Size != r.Size.String() {
			sum.Size = ""
		}
	}
	return sum, nil
}
