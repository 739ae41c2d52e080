import Glibc

/// Checks who may read and change the files that decide about access, and the data directory.
///
/// A server starts in spite of the warnings: the rights of the folder may keep other users out, and
/// an operator may have reasons. The code that reads a file refuses rights that surely admit other
/// users.
struct FileTrust {
    /// The warnings for the log, one for each right that a file should not have.
    private(set) var warnings: [String] = []

    /// Checks the files of a configuration; missing files are skipped.
    init(_ configuration: ServerConfiguration) {
        // A group may have to make files in the directory; files of the server have the mode 0600.
        if !configuration.history.ephemeral {
            look(at: configuration.history.directory, writable: S_IWOTH)
        }
        if let keys = configuration.access.keysFile {
            look(at: keys, secret: "it has the names of all principals; run chmod o-r")
        }
        for keys in configuration.access.jwtKeyFiles { look(at: keys) }
        if let policy = configuration.access.policyFile { look(at: policy) }
    }

    /// Checks the owner and the mode of a path, and adds warnings. `writable` has the rights to
    /// write that are not acceptable. `secret` is the reason why not every user may read the file,
    /// with the remedy; `nil` if every user may.
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
            warnings.append("users other than its owner may change '\(path)'; run chmod \(letters)")
        }
        if let secret, status.st_mode & S_IROTH != 0 {
            warnings.append("everyone may read '\(path)': \(secret)")
        }
    }
}
