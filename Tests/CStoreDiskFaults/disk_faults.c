// The linker takes the program's own fsync, fdatasync, pwrite and pwrite64 before the C library's,
// also for shared libraries of the program. So a test can let calls on a good disk fail.

#define _GNU_SOURCE
#include "disk_faults.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char failing[4096];
static char full[4096];
static int failure;
static int count;

void disk_faults_fail_syncs(const char *path, int error) {
    pthread_mutex_lock(&lock);
    snprintf(failing, sizeof failing, "%s", path);
    failure = error;
    count = 0;
    pthread_mutex_unlock(&lock);
}

void disk_faults_fill(const char *path) {
    pthread_mutex_lock(&lock);
    snprintf(full, sizeof full, "%s", path);
    pthread_mutex_unlock(&lock);
}

int disk_faults_count(void) {
    pthread_mutex_lock(&lock);
    int now = count;
    pthread_mutex_unlock(&lock);
    return now;
}

static int is_file(int descriptor, const char *wanted) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return strcmp(path, wanted) == 0;
}

/// Returns the error with which a sync of this file has to fail, 0 for none.
static int error_of(int descriptor) {
    int error = 0;
    pthread_mutex_lock(&lock);
    if (failure != 0 && is_file(descriptor, failing)) {
        error = failure;
        count += 1;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static int sync_or_fail(int descriptor, long call) {
    int error = error_of(descriptor);
    if (error == 0) return (int)syscall(call, descriptor);
    errno = error;
    return -1;
}

int fsync(int descriptor) { return sync_or_fail(descriptor, SYS_fsync); }

int fdatasync(int descriptor) { return sync_or_fail(descriptor, SYS_fdatasync); }

static ssize_t write_or_fail(int descriptor, const void *bytes, size_t count, off_t offset) {
    pthread_mutex_lock(&lock);
    int is_full = full[0] != 0 && is_file(descriptor, full);
    pthread_mutex_unlock(&lock);
    if (!is_full) return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    errno = ENOSPC;
    return -1;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_or_fail(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_or_fail(descriptor, bytes, count, offset);
}
