/* The bare libmicrohttpd server of mhd_deferred.c, which answers nothing that is not durable.
 *
 * Its second thread appends the bodies of a batch to a file, with one write and one fdatasync for
 * whatever is pending, before the batch is answered: the floor that a durable store on the same
 * library and the same disk can be compared with.
 *
 *   mhd_durable PORT FILE
 */
#define DURABLE
#include "mhd_deferred.c"

#include <fcntl.h>

enum { WRITE_BYTES_MAX = 1 << 20 };

static int log_file;

static int open_log(char **arguments) {
    log_file = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    return log_file < 0 ? -1 : 0;
}

static void write_all(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(log_file, bytes, count);
        if (written <= 0) abort();
        bytes += written;
        count -= (size_t)written;
    }
}

static void make_durable(const struct ticket *batch) {
    static char bytes[WRITE_BYTES_MAX];
    size_t count = 0;
    for (; batch; batch = batch->next) {
        if (count + batch->body_bytes > sizeof bytes) {
            write_all(bytes, count);
            count = 0;
        }
        memcpy(bytes + count, batch->body, batch->body_bytes);
        count += batch->body_bytes;
    }
    write_all(bytes, count);
    if (fdatasync(log_file) != 0) abort();
}
