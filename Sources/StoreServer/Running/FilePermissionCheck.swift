import Glibc

/// A check of the owners and the permissions of the data directory, and of the files about access.
///
/// The warnings do not end a start: the mode of the folder may keep other users out, and an
/// operator may have reasons. Only the code that reads a secret file refuses the file if all users
/// may read the file.
struct FilePermissionCheck {
    /// The warnings for the log: one for each wrong owner, and for each permission that a file
    /// should not have.
    private(set) var warnings: [String] = []

    /// Checks the files of a configuration; missing files are skipped.
    init(_ configuration: ServerConfiguration) {
        // The group of the directory may make files there, but can't read the server's own files,
        // which have the mode 0600.
        if !configuration.history.ephemeral {
            check(configuration.history.directory, forbiddenWrites: S_IWOTH)
        }
        if let keys = configuration.access.apiKeysFile {
            check(keys, secretReason: "it has the names of all principals; run chmod o-r")
        }
        for keys in configuration.access.jwtKeyFiles { check(keys) }
        if let policy = configuration.access.policyFile { check(policy) }
    }

    /// Checks the owner and the mode of a path, and adds warnings. `forbiddenWrites` has the mode
    /// bits for writing that the path must not have. If every user can read the file,
    /// `secretReason` completes the warning; `nil` for a file without secrets, which every
    /// user may read.
    private mutating func check(
        _ path: String,
        forbiddenWrites: mode_t = S_IWGRP | S_IWOTH,
        secretReason: String? = nil
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
        if status.st_mode & forbiddenWrites != 0 {
            let letters = forbiddenWrites & S_IWGRP == 0 ? "o-w" : "go-w"
            warnings.append("users other than its owner may change '\(path)'; run chmod \(letters)")
        }
        if let secretReason, status.st_mode & S_IROTH != 0 {
            warnings.append("everyone may read '\(path)': \(secretReason)")
        }
    }
}
