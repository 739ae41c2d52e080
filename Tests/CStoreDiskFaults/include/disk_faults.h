#ifndef DISK_FAULTS_H
#define DISK_FAULTS_H

#pragma clang assume_nonnull begin

/// Lets every sync of the file at `path` fail with this error number from now on. Only one file can
/// fail at a time. With the error 0, all syncs succeed again.
void disk_faults_fail_syncs(const char *path, int error);

/// Returns the number of syncs that have failed since the last call of `disk_faults_fail_syncs`.
int disk_faults_count(void);

/// Lets every write to the file at `path` fail from now on, as on a full disk. Only one file can be
/// full at a time. With the path "", no file is full.
void disk_faults_fill(const char *path);

#pragma clang assume_nonnull end

#endif
