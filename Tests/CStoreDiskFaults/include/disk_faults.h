#ifndef DISK_FAULTS_H
#define DISK_FAULTS_H

#pragma clang assume_nonnull begin

/// From now on every sync of the file at `path` fails with this error number. One file at a time;
/// 0 lets all syncs succeed again.
void disk_faults_fail_syncs(const char *path, int error);

/// How many syncs have failed since then.
int disk_faults_count(void);

/// From now on no write to the file at `path` finds room. One file at a time; "" makes room.
void disk_faults_fill(const char *path);

#pragma clang assume_nonnull end

#endif
