import Glibc
import StoreJSON
import StorePlatform

/// The reason why a file with keys cannot be read or written. The description is a single line: the
/// file, the place of the error in it, and the allowed content.
package struct CredentialFileError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package init(_ file: String, _ problem: String) { self.init("\(file): \(problem)") }
}

/// The reader of files with secrets, and of files that decide about access.
package enum CredentialFile {
    /// The most bytes of a file, unless the caller allows more.
    static let bytesMax = 1 << 20

    /// The content of a file, and its permissions.
    package struct Content {
        let path: String
        package let bytes: [UInt8]
        let mode: mode_t

        /// Parses the content as JSON.
        func json(within limits: JSONLimits) throws(CredentialFileError) -> JSONNode {
            do { return try JSONDocument(parsing: bytes, limits: limits).root } catch {
                throw CredentialFileError(path, "byte \(error.offset): \(error.message)")
            }
        }

        /// Refuses a file with a secret if every user may read the file. Only the owner and the
        /// group may read a file with a secret.
        package func checkNotWorldReadable() throws(CredentialFileError) {
            guard mode & S_IROTH == 0 else {
                throw CredentialFileError(
                    path,
                    "it has a secret, and everyone may read it; run chmod o-rwx"
                )
            }
        }

        /// Refuses a file if any user other than its owner may read or write it.
        func checkOwnerOnly() throws(CredentialFileError) {
            guard mode & 0o077 == 0 else {
                throw CredentialFileError(
                    path,
                    "it is a secret, and users other than its owner may read it; run chmod 600"
                )
            }
        }
    }

    /// Returns the content of a file; `nil` if the file does not exist. The file has to be a
    /// regular file that only its owner may write.
    ///
    /// - Throws: ``CredentialFileError``, also for a file of more than `bytesMax` bytes.
    static func readIfThere(
        _ path: String,
        bytesMax: Int = CredentialFile.bytesMax
    ) throws(CredentialFileError) -> Content? {
        // O_NONBLOCK: a pipe without a writer must not hold up a start.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw CredentialFileError(path, "it can't be read: \(SystemError.text)")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CredentialFileError(path, "it is not a regular file; give a regular file")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw CredentialFileError(
                path,
                "users other than its owner may write it, and so could add credentials; run "
                    + "chmod go-w"
            )
        }
        guard let bytes = FileReader.read(descriptor, bytesMax: bytesMax) else {
            throw CredentialFileError(path, "it can't be read: \(SystemError.text)")
        }
        guard bytes.count <= bytesMax else {
            throw CredentialFileError(
                path,
                "it is too large; at most \(bytesMax) bytes are allowed"
            )
        }
        return Content(path: path, bytes: bytes, mode: status.st_mode)
    }

    /// Returns the content of a file. The file has to be a regular file that only its owner may
    /// write.
    package static func read(
        _ path: String,
        bytesMax: Int = CredentialFile.bytesMax
    ) throws(CredentialFileError) -> Content {
        guard let content = try readIfThere(path, bytesMax: bytesMax) else {
            throw CredentialFileError(path, "there is no such file")
        }
        return content
    }
}
