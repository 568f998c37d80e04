package synth

import "fmt"

// llamaModel is a model whose checkpoints DLIO writes and how it is spread over ranks: the fields
// of configs/dlio/workload/llama3_*.yaml of mlcommons/storage. The sizes of a checkpoint's files
// follow from it as in dlio_benchmark/checkpointing/base_checkpointing.py, whose integer divisions
// are kept one by one.
type llamaModel struct {
	layers, vocab, hidden, ffn, heads, kvHeads int64

	// tensor * pipeline ranks hold one copy of the model, which ranks / (tensor * pipeline) share:
	// only the optimizer's state with zero 1, the model too with zero 3.
	tensor, pipeline int64
	zero             int

	// ranks is how many the CLOSED division of the benchmark runs (LLM_ALLOWED_VALUES in
	// mlpstorage_py/config.py).
	ranks int64
}

const (
	modelBytes     = 2 // model_datatype fp16
	optimizerBytes = 4 // optimizer_datatype fp32
)

// parameters is get_num_parameters.
func (m *llamaModel) parameters() int64 {
	kv := m.hidden / m.heads * m.kvHeads
	embedding := m.vocab * m.hidden
	layer := m.hidden + m.hidden*(m.hidden+2*kv) + m.hidden*m.hidden + m.hidden + m.ffn*2*m.hidden + m.ffn*m.hidden
	return embedding + layer*m.layers + m.hidden + embedding
}

// layerBytes is the size of get_layer_state: layer 0 is the embedding, 1 to layers are the
// transformer, then follow the head and the last norm. shards is sharding_factor.
func (m *llamaModel) layerBytes(layer, shards int64) int64 {
	kv := m.hidden / m.heads * m.kvHeads
	var n int64
	switch layer {
	case 0, m.layers + 1:
		n = m.hidden * m.vocab / m.tensor / shards
	case m.layers + 2:
		n = m.hidden / shards
	default:
		n = m.hidden/shards + m.hidden*(m.hidden+2*kv)/m.tensor/shards + m.hidden*m.hidden/m.tensor/shards +
			m.hidden/shards + m.hidden*2*m.ffn/m.tensor/shards + m.hidden*m.ffn/m.tensor/shards
	}
	return n * modelBytes
}

// optimizerBytes is the size of get_optimization_groups.
func (m *llamaModel) optimizerBytes() int64 {
	return 3 * (m.parameters()/m.ranks + 5*m.hidden) * optimizerBytes
}

// stageLayers is get_layer_index: the first and the last layer of a pipeline stage.
func (m *llamaModel) stageLayers(stage int64) (first, last int64) {
	each, more := m.layers/m.pipeline, m.layers%m.pipeline
	first = stage*each + min(stage, more) + 1
	last = first + each - 1
	if stage < more {
		last++
	}
	if stage == 0 {
		first = 0
	}
	if stage == m.pipeline-1 {
		last = m.layers + 2
	}
	return first, last
}

// rules returns the files of the checkpoints of steps 1 to steps, based on a rule without key,
// count and size.
func (m *llamaModel) rules(base Rule, folder string, steps int64) ([]Rule, error) {
	parallel := m.tensor * m.pipeline
	if m.ranks < parallel || m.ranks%parallel != 0 || m.ranks > maxFolders {
		return nil, fmt.Errorf("ranks %d is not a multiple of %d up to %d, the ranks of one copy of the model", m.ranks, parallel, maxFolders)
	}
	copies := m.ranks / parallel
	var rules []Rule
	for step := range steps {
		add := func(key string, first, count, size int64) {
			r := base
			r.Key = fmt.Sprintf("%sglobal_epoch1_step%d/%s.pt", folder, step+1, key)
			r.First, r.Count, r.Size = first, count, Size{Mean: size}
			rules = append(rules, r)
		}
		// addShards adds the files that each rank writes.
		addShards := func(kind string, size int64) {
			if parallel == 1 {
				add("zero_pp_rank_{i:d}_mp_rank_0_"+kind, 0, copies, size)
				return
			}
			for c := range copies {
				add(fmt.Sprintf("zero_pp_rank_%d_mp_rank_{i:d}_%s", c, kind), 0, parallel, size)
			}
		}
		if m.zero == 3 {
			var size int64
			for layer := range m.layers + 3 {
				size += m.layerBytes(layer, copies)
			}
			addShards("model_states", size)
		} else {
			for stage := range m.pipeline {
				first, last := m.stageLayers(stage)
				for layer := first; layer <= last; layer++ {
					add(fmt.Sprintf("layer_%d-model_{i:d}_model_states", layer), stage*m.tensor, m.tensor, m.layerBytes(layer, 1))
				}
			}
		}
		addShards("optim_states", m.optimizerBytes())
	}
	return rules, nil
}
