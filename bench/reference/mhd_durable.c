/* The bare libmicrohttpd server of mhd_deferred.c, which answers only when a body is durable.
 *
 * Before a batch is answered, the second thread appends the bodies of the batch to a file, with one write
 * and one fdatasync. A durable store on the same library and the same disk can hardly be faster.
 *
 * With BYTES, the file has this size from the beginning. When the file is full, the server writes over it
 * from its start, as databases use their logs. A sync then need not write a new size of the file. With 0,
 * the file grows.
 *
 *   mhd_durable PORT FILE BYTES
 */
#define DURABLE
#include "mhd_deferred.c"

#include <fcntl.h>

enum { WRITE_BYTES_MAX = 1 << 20 };

static int log_file;
static off_t offset, bytes_max;

static void write_all(const char *bytes, size_t count) {
    if (bytes_max > 0 && offset + (off_t)count > bytes_max) offset = 0;
    while (count > 0) {
        ssize_t written = pwrite(log_file, bytes, count, offset);
        if (written <= 0) abort();
        bytes += written;
        count -= (size_t)written;
        offset += written;
    }
}

static int open_log(char **arguments) {
    static const char zeroes[4096];
    log_file = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (log_file < 0) return -1;
    off_t size = atoll(arguments[3]);
    while (offset < size) write_all(zeroes, sizeof zeroes);
    offset = 0;
    bytes_max = size;
    return fsync(log_file);
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
