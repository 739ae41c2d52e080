import CStoreHTTPD
import Glibc
import StorePlatform

/// The file of a unix socket that a server made. The server removes the file when it ends.
struct SocketFile {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Sets the mode and the group of the file, which a call of bind(2) has just made.
    init(_ path: String, _ access: SocketAccess) throws(TransportError) {
        self.path = path
        var status = stat()
        let isSet =
            (access.groupID.map { chown(path, uid_t.max, $0) } ?? 0) == 0
            && chmod(path, mode_t(access.mode)) == 0 && lstat(path, &status) == 0
        guard isSet else {
            let reason = SystemError.text
            unlink(path)
            throw TransportError("can't give unix:\(path) its mode and its group: \(reason)")
        }
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the file, unless another server has put its own file there.
    func remove() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
            return
        }
        unlink(path)
    }

    /// Removes a socket that a killed server left behind. Throws an error if a process listens at
    /// the socket, or if another user owns the socket.
    static func removeStale(_ path: String) throws(TransportError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw TransportError("can't listen on unix:\(path): there is a file of that name")
        }
        // The probe does not wait for a server whose queue is full.
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let probe = socket(AF_UNIX, type, 0)
        defer { Glibc.close(probe) }
        let connected = SocketAddress(.unix(path: path)).withPointer { connect(probe, $0, $1) }
        // If no process listens at the socket, the error is ECONNREFUSED. After EACCES or EAGAIN, a
        // process may still listen.
        guard connected != 0, errno == ECONNREFUSED else {
            throw TransportError("can't listen on unix:\(path): a server listens there already")
        }
        guard status.st_uid == geteuid() else {
            throw TransportError(
                "can't listen on unix:\(path): another user has left a socket there; remove it"
            )
        }
        unlink(path)
    }
}
