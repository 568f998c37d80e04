package server

// LaneHashes returns how many bodies are being hashed that may take a lane.
func (s *Server) LaneHashes() int {
	if s.sha.lanes == nil {
		return 0
	}
	return s.sha.lanes.InUse()
}
