// A library for tests, which is preloaded into the server. It notes every write and sync below one
// folder, and every sent answer. From these notes, disk.py makes the files that a power cut at any
// moment would have left. The library can also end the process at a point, let a call fail or hang,
// or set the clock.
//
//   DISK_FOLDER       the folder that is watched, an absolute path
//   DISK_NOTES        the file for the notes; without this variable, nothing is noted
//   DISK_STOP         point:n       SIGKILL at the n-th passage of a point (see `points`)
//   DISK_HANG         point:n       the n-th passage of a point never ends, and standard error says so
//   DISK_FAIL         EIO:n         the n-th call that changes the folder fails; EIO:n+ also all later
//   DISK_CALLS        the file that gets the number of such calls when the process exits
//   DISK_SYNCHRONOUS  NORMAL        the setting that replaces the server's for the writing connection
//   DISK_CLOCK        a file with the number of seconds by which the time of day is ahead
//
// Files whose names end in -shm or /lock do not matter after a power cut. So calls on these files may
// fail, but are not noted.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTORS_MAX = 4096, SENT_BYTES_MAX = 1 << 16 };

enum kind { NONE, OTHER, DATABASE, LOG, MARK, FOLDER, UNNOTED };

enum note { OPENED = 1, CREATED, WROTE, TRUNCATED, SYNCED, RENAMED, UNLINKED, LINKED, MADE, SENT };

enum point { LOG_WRITE, LOG_WRITTEN, LOG_SYNC, LOG_SYNCED, MARK_WRITE, MARK_WRITTEN, MARK_SYNC,
             DATABASE_WRITE, DATABASE_SYNC, DATABASE_SYNCED, LOG_TRUNCATE, ANSWER, FRAME };

static const char *const points[] = {
    "log-write", "log-written", "log-sync", "log-synced", "mark-write", "mark-written", "mark-sync",
    "database-write", "database-sync", "database-synced", "log-truncate", "answer", "frame", NULL};

static struct {
    unsigned char kind;
    uint64_t inode;
} open_files[DESCRIPTORS_MAX];

static const char *folder;
static size_t folder_length;
static int notes = -1;
static uint64_t notes_bytes;
static int stop_point = -1, stop_after, hang_point = -1, hang_after;
static const char *clock_path;
static int fail_error, fail_at, fail_on, calls_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

// Returns the point that "point:n" names, or -1.
static int point_named(const char *text, int *passage) {
    char name[32];
    if (!text || sscanf(text, "%31[^:]:%d", name, passage) != 2) return -1;
    for (int i = 0; points[i]; i++)
        if (!strcmp(points[i], name)) return i;
    return -1;
}

__attribute__((constructor)) static void begin(void) {
    folder = getenv("DISK_FOLDER");
    folder_length = folder ? strlen(folder) : 0;
    const char *path = getenv("DISK_NOTES");
    if (path) {
        int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
        notes = syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
        notes_bytes = lseek(notes, 0, SEEK_END);
    }
    stop_point = point_named(getenv("DISK_STOP"), &stop_after);
    hang_point = point_named(getenv("DISK_HANG"), &hang_after);
    clock_path = getenv("DISK_CLOCK");
    char name[32];
    const char *fail = getenv("DISK_FAIL");
    if (fail && sscanf(fail, "%31[^:]:%d", name, &fail_at) == 2) {
        fail_error = strcmp(name, "ENOSPC") ? EIO : ENOSPC;
        fail_on = fail[strlen(fail) - 1] == '+';
    }
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("DISK_CALLS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%d\n", calls_count);
    fclose(file);
}

static int watched(const char *path) {
    return folder && !strncmp(path, folder, folder_length)
        && (path[folder_length] == '/' || !path[folder_length]);
}

static int ends(const char *path, const char *end) {
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && !strcmp(path + length - wanted, end);
}

static enum kind kind_of(const char *path) {
    if (ends(path, "-shm") || ends(path, "/lock")) return UNNOTED;
    if (ends(path, "-wal")) return LOG;
    if (ends(path, ".db")) return DATABASE;
    return ends(path, "/mark") || ends(path, "/mark.new") ? MARK : OTHER;
}

static enum kind kind(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS_MAX ? open_files[descriptor].kind : NONE;
}

// Writes a note: kind, file, place, length, and `length` bytes. The caller holds the lock, unless the
// order of the note does not matter.
static void note(enum note what, uint64_t file, uint64_t place, const void *bytes, uint32_t length) {
    if (notes < 0) return;
    struct __attribute__((packed)) {
        uint32_t what, length;
        uint64_t file, place;
    } head = {what, length, file, place};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)bytes, length}};
    if (syscall(SYS_writev, notes, parts, 2) != (long)(sizeof head + length)) die();
    notes_bytes += sizeof head + length;
}

static void note_paths(enum note what, const char *from, const char *to) {
    char text[8192];
    int length = snprintf(text, sizeof text, "%s%c%s", from, 0, to);
    note(what, 0, 0, text, length);
}

static void pass(enum point point) {
    if (stop_point == (int)point && __atomic_sub_fetch(&stop_after, 1, __ATOMIC_SEQ_CST) == 0) die();
    if (hang_point == (int)point && __atomic_sub_fetch(&hang_after, 1, __ATOMIC_SEQ_CST) == 0) {
        dprintf(STDERR_FILENO, "the disk hangs\n");
        for (;;) pause();
    }
}

// Returns if this call has to fail; errno has the error.
static int fails(void) {
    int number = __atomic_add_fetch(&calls_count, 1, __ATOMIC_SEQ_CST);
    if (!fail_at || !(fail_on ? number >= fail_at : number == fail_at)) return 0;
    errno = fail_error;
    return 1;
}

// Opening and closing

static int opened(int descriptor, const char *path, int flags, int existed) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS_MAX || !watched(path)) return descriptor;
    struct stat status;
    fstat(descriptor, &status);
    open_files[descriptor].inode = status.st_ino;
    open_files[descriptor].kind = S_ISDIR(status.st_mode) ? FOLDER : kind_of(path);
    if (open_files[descriptor].kind == UNNOTED) return descriptor;
    note(existed ? OPENED : CREATED, status.st_ino, 0, path, strlen(path));
    if (existed && flags & O_TRUNC) note(TRUNCATED, status.st_ino, 0, NULL, 0);
    return descriptor;
}

static int opening(const char *path, int flags, mode_t mode) {
    if (!watched(path)) return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    pthread_mutex_lock(&lock);
    int existed = !faccessat(AT_FDCWD, path, F_OK, 0), descriptor = -1;
    if (existed || !(flags & O_CREAT) || !fails())
        descriptor = opened(syscall(SYS_openat, AT_FDCWD, path, flags, mode), path, flags, existed);
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return descriptor;
}

#define MODE(flags)                                  \
    mode_t mode = 0;                                 \
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) { \
        va_list list;                                \
        va_start(list, flags);                       \
        mode = va_arg(list, mode_t);                 \
        va_end(list);                                \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    return opening(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags)
    return opening(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
    MODE(flags)
    return at == AT_FDCWD || *path == '/' ? opening(path, flags, mode)
                                          : (int)syscall(SYS_openat, at, path, flags, mode);
}

int close(int descriptor) {
    if (kind(descriptor)) open_files[descriptor].kind = NONE;
    return REAL(close)(descriptor);
}

// Writing

static ssize_t writing(int descriptor, const void *bytes, size_t length, off_t place) {
    enum kind of = kind(descriptor);
    if (of == LOG) pass(LOG_WRITE);
    if (of == DATABASE) pass(DATABASE_WRITE);
    if (of == MARK) pass(MARK_WRITE);
    pthread_mutex_lock(&lock);
    ssize_t written = -1;
    if (!fails()) {
        if (of != UNNOTED) note(WROTE, open_files[descriptor].inode, place, bytes, length);
        written = syscall(SYS_pwrite64, descriptor, bytes, length, place);
    } else if (errno == ENOSPC && length > 1) {
        // A disk that fills up takes a part first, and fails at the rest.
        ssize_t part = length / 2;
        if (of != UNNOTED) note(WROTE, open_files[descriptor].inode, place, bytes, part);
        if (syscall(SYS_pwrite64, descriptor, bytes, part, place) != part) die();
        errno = ENOSPC;
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    if (of == LOG) pass(LOG_WRITTEN);
    if (of == MARK) pass(MARK_WRITTEN);
    errno = error;
    return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t place) {
    if (kind(descriptor)) return writing(descriptor, bytes, length, place);
    return syscall(SYS_pwrite64, descriptor, bytes, length, place);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t place) {
    return pwrite(descriptor, bytes, length, place);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    if (!kind(descriptor)) return syscall(SYS_write, descriptor, bytes, length);
    ssize_t written = writing(descriptor, bytes, length, lseek(descriptor, 0, SEEK_CUR));
    if (written > 0) lseek(descriptor, written, SEEK_CUR);
    return written;
}

int ftruncate(int descriptor, off_t size) {
    enum kind of = kind(descriptor);
    if (!of) return syscall(SYS_ftruncate, descriptor, size);
    if (of == LOG) pass(LOG_TRUNCATE);
    pthread_mutex_lock(&lock);
    int result = -1;
    if (!fails()) {
        if (of != UNNOTED) note(TRUNCATED, open_files[descriptor].inode, size, NULL, 0);
        result = syscall(SYS_ftruncate, descriptor, size);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int ftruncate64(int descriptor, off64_t size) {
    return ftruncate(descriptor, size);
}

// A sync covers the writes that were noted before the sync began.
static int syncing(int descriptor, int call) {
    enum kind of = kind(descriptor);
    if (!of) return syscall(call, descriptor);
    if (of == LOG) pass(LOG_SYNC);
    if (of == DATABASE) pass(DATABASE_SYNC);
    if (of == MARK) pass(MARK_SYNC);
    pthread_mutex_lock(&lock);
    uint64_t covered = notes_bytes;
    pthread_mutex_unlock(&lock);
    if (fails() || syscall(call, descriptor)) return -1;
    pthread_mutex_lock(&lock);
    if (of != UNNOTED) note(SYNCED, open_files[descriptor].inode, covered, NULL, 0);
    pthread_mutex_unlock(&lock);
    if (of == LOG) pass(LOG_SYNCED);
    if (of == DATABASE) pass(DATABASE_SYNCED);
    return 0;
}

int fsync(int descriptor) {
    return syncing(descriptor, SYS_fsync);
}

int fdatasync(int descriptor) {
    return syncing(descriptor, SYS_fdatasync);
}

// Names

#define NAMES(what, from, to, call)                                  \
    if (!watched(from)) return call;                                 \
    pthread_mutex_lock(&lock);                                       \
    int result = fails() ? -1 : (call);                              \
    int error = errno;                                               \
    if (!result && kind_of(from) != UNNOTED) note_paths(what, from, to); \
    pthread_mutex_unlock(&lock);                                     \
    errno = error;                                                   \
    return result;

int rename(const char *from, const char *to) {
    NAMES(RENAMED, from, to, REAL(rename)(from, to))
}

int link(const char *from, const char *to) {
    NAMES(LINKED, from, to, REAL(link)(from, to))
}

int unlink(const char *path) {
    NAMES(UNLINKED, path, "", REAL(unlink)(path))
}

int mkdir(const char *path, mode_t mode) {
    NAMES(MADE, path, "", REAL(mkdir)(path, mode))
}

// The time of day

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    if (!clock_path || !is_wall || result) return result;
    char text[32] = "";
    int file = syscall(SYS_openat, AT_FDCWD, clock_path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || syscall(SYS_read, file, text, sizeof text - 1) < 0) die();
    syscall(SYS_close, file);
    time->tv_sec += atol(text);
    return 0;
}

// Sent bytes

static void sending(const struct iovec *parts, size_t count) {
    char name[16] = "", text[SENT_BYTES_MAX];
    prctl(PR_GET_NAME, name);
    size_t length = 0;
    for (size_t i = 0; i < count && length < sizeof text; i++) {
        size_t part = parts[i].iov_len;
        if (part > sizeof text - length) part = sizeof text - length;
        memcpy(text + length, parts[i].iov_base, part);
        length += part;
    }
    if (!strcmp(name, "http")) pass(ANSWER);
    if (!strcmp(name, "streams")) pass(FRAME);
    pthread_mutex_lock(&lock);
    note(SENT, 0, 0, text, length);
    pthread_mutex_unlock(&lock);
}

ssize_t send(int descriptor, const void *bytes, size_t length, int flags) {
    struct iovec part = {(void *)bytes, length};
    sending(&part, 1);
    return syscall(SYS_sendto, descriptor, bytes, length, flags, NULL, 0);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    sending(message->msg_iov, message->msg_iovlen);
    return syscall(SYS_sendmsg, descriptor, message, flags);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    sending(parts, count);
    return syscall(SYS_writev, descriptor, parts, count);
}

// The journal sets up its connection, checks the settings, and then registers this hook. So at this
// moment a setting can be replaced without being noticed.
void *sqlite3_wal_hook(void *database, void *hook, void *context) {
    const char *synchronous = getenv("DISK_SYNCHRONOUS");
    if (synchronous && hook) {
        int (*execute)(void *, const char *, void *, void *, void *) = real("sqlite3_exec");
        char sql[64];
        snprintf(sql, sizeof sql, "PRAGMA synchronous = %s", synchronous);
        if (execute(database, sql, NULL, NULL, NULL)) die();
    }
    void *(*original)(void *, void *, void *) = real("sqlite3_wal_hook");
    return original(database, hook, context);
}
