import Glibc

/// Looks at who may read and change the files on which it depends who is let in, and the data
/// directory.
///
/// A server starts all the same: the folder's own rights may keep others out, and an operator may
/// have reasons. What would let others in for sure is refused where it is read.
struct FileTrust {
    /// What a line of the log says of each file that is not as it should be.
    private(set) var warnings: [String] = []

    /// Looks at the files of a configuration; those that are not there are skipped.
    init(_ configuration: ServerConfiguration) {
        // Its files have the mode 0600, and a group may have to make some.
        if !configuration.ephemeral { look(at: configuration.dataDirectory, writable: S_IWOTH) }
        if let keys = configuration.authKeysFile {
            look(at: keys, secret: "it has the names of all principals; say chmod o-r")
        }
        for keys in configuration.jwtKeyFiles { look(at: keys) }
        if let policy = configuration.policyFile { look(at: policy) }
    }

    /// - Parameters:
    ///   - path: of a file or a folder.
    ///   - writable: the rights to write that are too many.
    ///   - secret: why not everyone is to read it, and what helps; `nil` if everyone may.
    private mutating func look(
        at path: String,
        writable: mode_t = S_IWGRP | S_IWOTH,
        secret: String? = nil
    ) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        let (user, owner) = (geteuid(), status.st_uid)
        if owner != user, owner != 0 {
            warnings.append(
                "'\(path)' belongs to the user \(owner), who may change it; it should belong to the "
                    + "server's user, \(user), or to root"
            )
        }
        if status.st_mode & writable != 0 {
            let letters = writable & S_IWGRP == 0 ? "o-w" : "go-w"
            warnings.append("others than its owner may change '\(path)'; say chmod \(letters)")
        }
        if let secret, status.st_mode & S_IROTH != 0 {
            warnings.append("everyone may read '\(path)': \(secret)")
        }
    }
}
