package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/anishathalye/porcupine"
)

// Line is one operation on one object, as the simulator and the proof write them (docs/proof.md).
type Line struct {
	// What it is about: "occurrence 7 on 2026-03-02" or "booking 12"
	Object string `json:"object"`
	// Places of an occurrence; 0 for a booking
	Capacity int    `json:"capacity"`
	Client   int    `json:"client"`
	Op       string `json:"op"`
	// Which booking takes or leaves a place
	Booking int `json:"booking"`
	// What a write made, or what a read showed
	Version int    `json:"version"`
	Value   string `json:"value"`
	// µs; no return: it happened at some moment after its call, and nobody was told
	Call   int64  `json:"call"`
	Return *int64 `json:"return"`
}

// ReadHistory gives each object's operations, in the order of the lines.
func ReadHistory(from io.Reader) (map[string][]Line, error) {
	objects := map[string][]Line{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		var line Line
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		objects[line.Object] = append(objects[line.Object], line)
	}
	return objects, lines.Err()
}

func operations(lines []Line) []porcupine.Operation {
	all := make([]porcupine.Operation, len(lines))
	for index, line := range lines {
		end := int64(math.MaxInt64)
		if line.Return != nil {
			end = *line.Return
		}
		all[index] = porcupine.Operation{ClientId: line.Client, Input: line, Call: line.Call, Return: end}
	}
	return all
}
