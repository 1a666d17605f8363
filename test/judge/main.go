// Judges histories with Porcupine, a checker that others wrote: can each object have answered like that?
//
//	go run . <file of JSON lines> …
//
// Exit code: 0 where all can, 1 where one cannot, 2 where a file cannot be read.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// For one object; few need more than a millisecond
const patience = 60 * time.Second

type verdict struct {
	objects, operations int
	refused, unknown    []string
}

func judge(objects map[string][]Line) verdict {
	var found verdict
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		lines := objects[name]
		found.objects++
		found.operations += len(lines)
		switch porcupine.CheckOperationsTimeout(modelOf(lines), operations(lines), patience) {
		case porcupine.Illegal:
			found.refused = append(found.refused, name)
		case porcupine.Unknown:
			found.unknown = append(found.unknown, name)
		}
	}
	return found
}

func main() {
	code := 0
	for _, path := range os.Args[1:] {
		file, err := os.Open(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		objects, err := ReadHistory(file)
		file.Close()
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(2)
		}
		found := judge(objects)
		fmt.Printf("%s: %d objects, %d operations, %d refused, %d not decided within %s\n",
			path, found.objects, found.operations, len(found.refused), len(found.unknown), patience)
		for _, name := range found.refused {
			fmt.Printf("  refused: %s\n", name)
			for _, line := range objects[name] {
				fmt.Printf("    %+v\n", line)
			}
			code = 1
		}
		for _, name := range found.unknown {
			fmt.Printf("  not decided: %s\n", name)
			code = 1
		}
	}
	os.Exit(code)
}
