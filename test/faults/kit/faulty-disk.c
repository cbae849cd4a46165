/*
 * Preloaded into a daemon (LD_PRELOAD) to let calls on its files fail. FAULTY_DISK names a file that can change at any time.
 * Each line has a call, the end of a path, and an effect:
 *
 *   write|sync|rename  SUFFIX  EIO|short|lie|quota=BYTES
 *
 * short   half of the bytes are written, as a system call may always do
 * lie     reports success, but does nothing
 * quota   a write that lets the files of its folder exceed this size gets EDQUOT
 *
 * Each effect is noted in FAULTY_DISK.hits. A suffix "*" stands for every file in FAULTY_DISK_DIR; others are ignored.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum effect { NONE, FAIL, SHORT, LIE, QUOTA };

struct fault {
  enum effect effect;
  long long limit;
};

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static ssize_t write_really(int fd, const void *bytes, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  return real(fd, bytes, count);
}

static int ends_with(const char *path, const char *suffix) {
  size_t length = strlen(path), end = strlen(suffix);
  return length >= end && strcmp(path + length - end, suffix) == 0;
}

static void note(const char *call, const char *path) {
  char name[PATH_MAX], line[PATH_MAX + 16];
  snprintf(name, sizeof name, "%s.hits", getenv("FAULTY_DISK"));
  int length = snprintf(line, sizeof line, "%s %s\n", call, path);
  int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0) return;
  if (write_really(fd, line, (size_t)length) < 0) abort();
  close(fd);
}

static struct fault parse(const char *effect) {
  if (strcmp(effect, "EIO") == 0) return (struct fault){FAIL, 0};
  if (strcmp(effect, "short") == 0) return (struct fault){SHORT, 0};
  if (strcmp(effect, "lie") == 0) return (struct fault){LIE, 0};
  if (strncmp(effect, "quota=", 6) == 0) return (struct fault){QUOTA, atoll(effect + 6)};
  abort();
}

static struct fault find_fault(const char *call, const char *path) {
  struct fault found = {NONE, 0};
  const char *folder = getenv("FAULTY_DISK_DIR"), *control = getenv("FAULTY_DISK");
  if (!folder || !control || strncmp(path, folder, strlen(folder)) != 0) return found;
  FILE *lines = fopen(control, "re");
  if (!lines) return found;
  char of[16], suffix[256], effect[32];
  while (found.effect == NONE && fscanf(lines, "%15s %255s %31s", of, suffix, effect) == 3)
    if (strcmp(of, call) == 0 && (strcmp(suffix, "*") == 0 || ends_with(path, suffix))) found = parse(effect);
  fclose(lines);
  return found;
}

/* Size of the files of a folder on disk. */
static long long measure_folder(const char *path) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  *strrchr(folder, '/') = '\0';
  long long bytes = 0;
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    struct stat stats;
    if (fstatat(dirfd(entries), entry->d_name, &stats, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(stats.st_mode))
      bytes += stats.st_blocks * 512;
  }
  if (entries) closedir(entries);
  return bytes;
}

/* Only writes that let a file grow need space. A gap before them does not. */
static int exceeds(const char *path, int fd, long long at, size_t count, long long limit) {
  struct stat stats;
  if (fstat(fd, &stats) != 0 || at + (long long)count <= stats.st_size) return 0;
  return measure_folder(path) + (long long)count > limit;
}

/* Returns 0, or the error that the call gets. `count` may become smaller. */
static int spoil_write(int fd, size_t *count, long long at) {
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || path[0] != '/') return 0;
  path[length] = '\0';
  struct fault fault = find_fault("write", path);
  if (fault.effect == NONE || (fault.effect == SHORT && *count < 2)) return 0;
  if (at < 0) at = lseek(fd, 0, SEEK_CUR);
  if (fault.effect == QUOTA && !exceeds(path, fd, at, *count, fault.limit)) return 0;
  note("write", path);
  if (fault.effect == SHORT) *count /= 2;
  return fault.effect == SHORT ? 0 : fault.effect == QUOTA ? EDQUOT : EIO;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  int error = spoil_write(fd, &count, -1);
  if (error == 0) return write_really(fd, bytes, count);
  errno = error;
  return -1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  int error = spoil_write(fd, &count, at);
  if (error == 0) return real(fd, bytes, count, at);
  errno = error;
  return -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }

/* Returns -1 if the call must go on. */
static int spoil_sync(int fd) {
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return -1;
  path[length] = '\0';
  enum effect effect = find_fault("sync", path).effect;
  if (effect == NONE) return -1;
  note("sync", path);
  return effect == LIE ? 0 : EIO;
}

static int answer(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int fsync(int fd) {
  REAL(int, "fsync", int);
  int spoilt = spoil_sync(fd);
  return spoilt < 0 ? real(fd) : answer(spoilt);
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int);
  int spoilt = spoil_sync(fd);
  return spoilt < 0 ? real(fd) : answer(spoilt);
}

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  if (find_fault("rename", to).effect == NONE) return real(from, to);
  note("rename", to);
  return answer(EIO);
}
