import Glibc
import StorePlatform

/// A keys file, for the commands that list and change it.
package struct APIKeyFile: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Returns the keys in the file; an empty list if there is no file.
    package func readKeys() throws(CredentialFileError) -> [APIKey] { try readDocument().keys }

    /// Makes a key, adds it to the file, and returns the key with its token. The file has only the
    /// digest of the token.
    package func create(
        principal: String,
        role: String,
        expiresAt: Int64?,
        at now: Int64
    ) throws(CredentialFileError) -> (key: APIKey, token: String) {
        guard PrincipalName.isAllowedForPrincipal(principal) else {
            throw CredentialFileError(
                "--principal: expected \(PrincipalName.allowedDescription), and not the name "
                    + "'anonymous'"
            )
        }
        guard PrincipalName.isAllowed(role) else {
            throw CredentialFileError("--role: expected \(PrincipalName.allowedDescription)")
        }
        return try change { document throws(CredentialFileError) in
            guard document.keys.count < APIKeyDocument.countMax else {
                throw CredentialFileError(
                    path,
                    "it has \(document.keys.count) keys; at most \(APIKeyDocument.countMax) are "
                        + "allowed. 'token revoke' removes one"
                )
            }
            let made: (id: String, token: String)
            do { made = try APIKeyToken.make() } catch {
                throw CredentialFileError("making a key failed: \(error)")
            }
            var token = made.token
            let key = APIKey(
                id: made.id,
                principal: principal,
                role: role,
                digest: token.withUTF8 { TokenDigest(of: UnsafeRawBufferPointer($0)) },
                createdAt: now,
                expiresAt: expiresAt
            )
            // 60 random bits do not repeat in practice. If an id repeats anyway, the new key must
            // not replace another key.
            guard !document.keys.contains(where: { $0.id == key.id }) else {
                throw CredentialFileError("making a key failed: its id is taken; try again")
            }
            document.keys.append(key)
            return (key, made.token)
        }
    }

    /// Removes a key from the file, and returns the key.
    package func revoke(_ id: String) throws(CredentialFileError) -> APIKey {
        try change { document throws(CredentialFileError) in
            guard let index = document.keys.firstIndex(where: { $0.id == id }) else {
                throw CredentialFileError(path, "there is no key '\(id)'; 'token list' shows all")
            }
            return document.keys.remove(at: index)
        }
    }

    private func readDocument() throws(CredentialFileError) -> APIKeyDocument {
        let bytesMax = APIKeyDocument.bytesMax
        guard let content = try CredentialFile.readIfThere(path, bytesMax: bytesMax) else {
            return APIKeyDocument()
        }
        return try APIKeyDocument(ofAnyCount: content)
    }

    /// Reads, changes and writes the file, under a lock that other commands wait for.
    private func change<Result>(
        _ body: (inout APIKeyDocument) throws(CredentialFileError) -> Result
    ) throws(CredentialFileError) -> Result {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(path[...$0]) } ?? "."
        // Each change replaces the file by a new file, so the lock is on the folder.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CredentialFileError(folder, "the folder can't be opened: \(SystemError.text)")
        }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw CredentialFileError(folder, "it can't be locked: \(SystemError.text)")
            }
        }
        var document = try readDocument()
        let result = try body(&document)
        let bytes = document.bytes
        // The bound applies to each change, so that every later command can read the file, even to
        // remove a key.
        guard bytes.count <= APIKeyDocument.bytesMax else {
            throw CredentialFileError(
                path,
                "it would have \(bytes.count) bytes; at most \(APIKeyDocument.bytesMax) are "
                    + "allowed. The file was not changed"
            )
        }
        do throws(AtomicFileError) {
            try AtomicFile.write(bytes, to: path, mode: 0o600)
        } catch {
            throw CredentialFileError(error.description)
        }
        return result
    }
}
