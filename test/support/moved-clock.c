/*
 * Loaded into redis-server (LD_PRELOAD) by moved-clock.ts: its wall clock is wrong by the µs in the file that MOVED_CLOCK
 * names. A test may change them at any time, in either direction. The monotonic clock stays as it is.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static volatile const int64_t *offset;

__attribute__((constructor)) static void openClock(void) {
	int file = open(getenv("MOVED_CLOCK"), O_RDONLY);
	if (file < 0) abort();
	void *memory = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
	if (memory == MAP_FAILED) abort();
	offset = memory;
	close(file);
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
	int code = syscall(SYS_gettimeofday, time, zone);
	if (code != 0 || offset == NULL) return code;
	int64_t micros = (int64_t)time->tv_sec * 1000000 + time->tv_usec + *offset;
	time->tv_sec = micros / 1000000;
	time->tv_usec = micros % 1000000;
	return 0;
}
