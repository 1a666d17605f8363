package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// An occurrence is an object with a capacity: the set of bookings that hold a place of it.
//
//	take   the booking holds a place afterwards; there was one for it
//	leave  it holds none afterwards
//	full   it was told that there is no place, and there was none
func occurrence(capacity int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return "" },
		Step: func(state, input, _ any) (bool, any) {
			line := input.(Line)
			holders := strings.Fields(state.(string))
			name := fmt.Sprint(line.Booking)
			at, holds := slices.BinarySearch(holders, name)
			switch line.Op {
			case "take":
				if holds {
					return true, state
				}
				return len(holders) < capacity, strings.Join(slices.Insert(holders, at, name), " ")
			case "leave":
				if holds {
					holders = slices.Delete(holders, at, at+1)
				}
				return true, strings.Join(holders, " ")
			case "full":
				return len(holders) >= capacity, state
			}
			panic("an occurrence has no operation " + line.Op)
		},
	}
}

type register struct {
	version int
	value   string
	gone    bool
}

// A booking is a register with a version.
//
//	write    makes the version after the one that is there
//	read     shows what is there
//	delete   afterwards there is nothing
//	missing  it was told that there is nothing
//	stale    another version was asked for than is there
func booking() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return register{} },
		Step: func(before, input, _ any) (bool, any) {
			line := input.(Line)
			state := before.(register)
			is := !state.gone && state.version > 0
			switch line.Op {
			case "write":
				next := register{version: line.Version, value: line.Value}
				return !state.gone && line.Version == state.version+1, next
			case "read":
				return is && line.Version == state.version && line.Value == state.value, state
			case "delete":
				return true, register{version: state.version, gone: true}
			case "missing":
				return !is, state
			case "stale":
				return is && line.Version != state.version, state
			}
			panic("a booking has no operation " + line.Op)
		},
	}
}

func modelOf(lines []Line) porcupine.Model {
	if strings.HasPrefix(lines[0].Object, "occurrence ") {
		return occurrence(lines[0].Capacity)
	}
	return booking()
}
