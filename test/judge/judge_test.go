package main

import "testing"

func at(call, end int64, line Line) Line {
	line.Call, line.Return = call, &end
	return line
}

func place(op string, booking int) Line {
	return Line{Object: "occurrence 1 on 2026-03-02", Capacity: 1, Op: op, Booking: booking}
}

func version(op string, number int, value string) Line {
	return Line{Object: "booking 1", Op: op, Version: number, Value: value}
}

func never(call int64, line Line) Line {
	line.Call = call
	return line
}

func TestJudge(t *testing.T) {
	cases := []struct {
		name  string
		lines []Line
		legal bool
	}{
		{"one after the other", []Line{at(0, 1, place("take", 1)), at(2, 3, place("leave", 1)), at(4, 5, place("take", 2))}, true},
		{"full while it is taken", []Line{at(0, 1, place("take", 1)), at(2, 3, place("full", 2))}, true},
		{"full because of what nobody was told", []Line{never(0, place("take", 1)), at(2, 3, place("full", 2))}, true},
		{"an overbooked occurrence", []Line{at(0, 1, place("take", 1)), at(2, 3, place("take", 2))}, false},
		{"full, and it was free", []Line{at(0, 1, place("take", 1)), at(2, 3, place("leave", 1)), at(4, 5, place("full", 2))}, false},
		{"full before anybody asked", []Line{at(0, 1, place("full", 1)), at(2, 3, place("take", 2))}, false},

		{"a life of a booking", []Line{
			at(0, 1, version("write", 1, "a")), at(2, 5, version("write", 2, "b")), at(3, 4, version("read", 1, "a")),
			at(6, 7, version("stale", 1, "")), at(8, 9, version("delete", 0, "")), at(10, 11, version("missing", 0, "")),
		}, true},
		{"a lost update", []Line{at(0, 1, version("write", 1, "a")), at(2, 9, version("write", 2, "b")), at(3, 9, version("write", 2, "c"))}, false},
		{"a version that was left out", []Line{at(0, 1, version("write", 1, "a")), at(2, 3, version("write", 3, "c"))}, false},
		{"an old version after a new one", []Line{at(0, 1, version("write", 1, "a")), at(2, 3, version("write", 2, "b")), at(4, 5, version("read", 1, "a"))}, false},
		{"two contents of one version", []Line{at(0, 1, version("write", 1, "a")), at(2, 3, version("read", 1, "b"))}, false},
		{"a read of what is deleted", []Line{at(0, 1, version("write", 1, "a")), at(2, 3, version("delete", 0, "")), at(4, 5, version("read", 1, "a"))}, false},
		{"missing, and nobody deleted it", []Line{at(0, 1, version("write", 1, "a")), at(2, 3, version("missing", 0, ""))}, false},
		{"refused as stale, and it was not", []Line{at(0, 1, version("write", 1, "a")), at(2, 3, version("stale", 1, ""))}, false},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			found := judge(map[string][]Line{each.lines[0].Object: each.lines})
			if legal := len(found.refused)+len(found.unknown) == 0; legal != each.legal {
				t.Errorf("judged as legal: %v", legal)
			}
		})
	}
}
