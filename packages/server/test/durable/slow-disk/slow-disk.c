/*
 * Slows the files of the database to a given number of bytes per second, for LD_PRELOAD: writes to the database file
 * take as long as such a disk needs for them, and so does each sync of the log for what was written to it since.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum kind { OTHER, DATABASE, LOG };

static atomic_long unsynced;

static enum kind kind_of(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return OTHER;
  path[length] = 0;
  const char *name = strrchr(path, '/');
  name = name == NULL ? path : name + 1;
  if (strcmp(name, "millrace.db") == 0) return DATABASE;
  return strcmp(name, "millrace.db-wal") == 0 ? LOG : OTHER;
}

static void wait_for(long bytes) {
  const char *rate = getenv("SLOW_DISK_BYTES_PER_SECOND");
  double seconds = rate == NULL ? 0 : (double)bytes / strtod(rate, NULL);
  struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

static ssize_t written(int descriptor, ssize_t bytes) {
  if (bytes <= 0) return bytes;
  enum kind kind = kind_of(descriptor);
  if (kind == DATABASE) wait_for(bytes);
  if (kind == LOG) atomic_fetch_add(&unsynced, bytes);
  return bytes;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "pwrite64");
  return written(descriptor, real(descriptor, bytes, count, at));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t at) {
  return pwrite64(descriptor, bytes, count, at);
}

static int synced(int descriptor, int (*real)(int)) {
  if (kind_of(descriptor) == LOG) wait_for(atomic_exchange(&unsynced, 0));
  return real(descriptor);
}

int fdatasync(int descriptor) {
  static int (*real)(int);
  if (real == NULL) real = dlsym(RTLD_NEXT, "fdatasync");
  return synced(descriptor, real);
}

int fsync(int descriptor) {
  static int (*real)(int);
  if (real == NULL) real = dlsym(RTLD_NEXT, "fsync");
  return synced(descriptor, real);
}
