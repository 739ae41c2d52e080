// The program's own fsync and fdatasync come before the C library's, also for the libraries that it
// is linked with: so a disk can be made to fail that works.

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
static int failure;
static int count;

void disk_faults_fail_syncs(const char *path, int error) {
    pthread_mutex_lock(&lock);
    snprintf(failing, sizeof failing, "%s", path);
    failure = error;
    count = 0;
    pthread_mutex_unlock(&lock);
}

int disk_faults_count(void) {
    pthread_mutex_lock(&lock);
    int now = count;
    pthread_mutex_unlock(&lock);
    return now;
}

/// The error that a sync of this file is to meet, 0 for none.
static int error_of(int descriptor) {
    char link[64], path[4096];
    int error = 0;
    pthread_mutex_lock(&lock);
    if (failure != 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length < 0 ? 0 : length] = 0;
        if (strcmp(path, failing) == 0) {
            error = failure;
            count += 1;
        }
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
