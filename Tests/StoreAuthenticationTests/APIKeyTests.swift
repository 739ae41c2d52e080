import Glibc
import Testing

@testable import StoreAuthentication

/// API keys, and the file with their digests.
@Suite struct APIKeyTests {
    private let folder: TestFolder
    private let file: APIKeyFile

    init() throws {
        folder = try TestFolder()
        file = APIKeyFile(folder.path + "/api.json")
    }

    private func authenticator() throws -> Authenticator {
        var configuration = AuthenticationConfiguration()
        configuration.keysFile = file.path
        return try Authenticator(configuration)
    }

    private func create(
        _ principal: String = "deploy",
        expiresAt: Int64? = nil
    ) throws -> (key: APIKey, token: String) {
        try file.create(principal: principal, role: "operator", expiresAt: expiresAt, at: now)
    }

    @Test func `a key is good until it ends`() throws {
        let (key, token) = try create(expiresAt: now + 60)
        let authenticator = try authenticator()
        let principal = try authenticator.check(token).get()
        #expect(principal.name == "deploy" && principal.role == "operator")
        #expect(principal.credential == .apiKey(key.id) && principal.expiresAt == now + 60)
        #expect(try authenticator.check(token, at: now + 59).get() === principal)
        #expect(authenticator.check(token, at: now + 60).failure == .expiredKey(id: key.id))
        #expect(!authenticator.hasValidCredential(principal, at: now + 60))
    }

    @Test func `the file has digests, and only its owner may read it`() throws {
        let (key, token) = try create()
        #expect(token.utf8.count == APIKeyToken.byteCount && token.hasPrefix("ssk_\(key.id)_"))
        let content = try CredentialFile.read(file.path)
        let text = String(decoding: content.bytes, as: UTF8.self)
        #expect(!text.contains(token.dropFirst(17).prefix(20)))
        #expect(text.contains(key.digest.hex))
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        // The file reads back as it was written.
        _ = try create("other", expiresAt: now + 1)
        #expect(try file.readKeys().map(\.principal) == ["deploy", "other"])
        #expect(try file.readKeys()[0] == key)
    }

    @Test func `ten thousand keys with the longest names fit`() {
        // A quotation mark takes two bytes in JSON.
        let name = String(repeating: "\"", count: PrincipalName.bytesMax)
        let key = APIKey(
            id: "aaaaaaaaaaaa",
            principal: name,
            role: name,
            digest: TokenDigest(of: UnsafeRawBufferPointer(start: nil, count: 0)),
            createdAt: now,
            expiresAt: now
        )
        var document = APIKeyDocument()
        document.keys = Array(repeating: key, count: APIKeyDocument.countMax)
        #expect(document.bytes.count <= APIKeyDocument.bytesMax)
    }

    @Test func `a typo, a removed key and a wrong secret have errors of their own`() throws {
        let (key, token) = try create()
        let (second, other) = try create()
        let authenticator = try authenticator()
        for place in [0, 3, 4, 10, 16, 17, 40, 59, 60, 65] {
            var bytes = Array(token.utf8)
            bytes[place] = bytes[place] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
            let typed = String(decoding: bytes, as: UTF8.self)
            let expected: AuthenticationError =
                switch place {
                case 0, 3, 16: .unknownForm
                default: .mistypedKey
                }
            #expect(authenticator.check(typed).failure == expected, "\(place)")
        }
        for text in [
            String(token.dropLast()), token + "a", token + "\n", "ssk_", token.uppercased(),
        ] {
            #expect(authenticator.check(text).failure == .unknownForm)
        }
        #expect(authenticator.check(" " + token).failure == .unknownForm)

        // The secret of another key under this id, with its checksum.
        let body = Array("ssk_\(key.id)_".utf8) + Array(other.utf8)[17..<60]
        let forged = body + checksum(of: body)
        #expect(
            authenticator.check(String(decoding: forged, as: UTF8.self)).failure
                == .wrongSecret(id: key.id)
        )
        _ = try file.revoke(second.id)
        try authenticator.reload()
        #expect(authenticator.check(other).failure == .unknownKey(id: second.id))
        #expect(authenticator.check(token).failure == nil)
    }

    private func checksum(of body: [UInt8]) -> ArraySlice<UInt8> {
        let hex = Array(body.withUnsafeBytes { TokenDigest(of: $0).hex.utf8 })
        let bytes = stride(from: 0, to: hex.count, by: 2).map { place in
            UInt8(String(decoding: hex[place...place + 1], as: UTF8.self), radix: 16) ?? 0
        }
        return Base64URL.encode(bytes).prefix(6)
    }

    @Test func `a revoked key ends, and a wrong file changes nothing`() throws {
        let (key, token) = try create()
        let authenticator = try authenticator()
        let principal = try authenticator.check(token).get()
        try folder.write("{\"keys\":[", to: "api.json")
        #expect(throws: CredentialFileError.self) { try authenticator.reload() }
        #expect(try authenticator.check(token).get() === principal)
        unlink(file.path)
        #expect(throws: CredentialFileError(file.path + ": there is no such file")) {
            try authenticator.reload()
        }
        #expect(authenticator.hasValidCredential(principal, at: now))

        try folder.write("{\"keys\":[]}", to: "api.json")
        try authenticator.reload()
        #expect(authenticator.check(token).failure == .unknownKey(id: key.id))
        #expect(!authenticator.hasValidCredential(principal, at: now))
    }

    @Test func `a principal is not good when its key has another role`() throws {
        let (key, token) = try create()
        let authenticator = try authenticator()
        let principal = try authenticator.check(token).get()
        let text = String(decoding: try CredentialFile.read(file.path).bytes, as: UTF8.self)
        try folder.write(text.replacing("operator", with: "reader"), to: "api.json")
        try authenticator.reload()
        #expect(!authenticator.hasValidCredential(principal, at: now))
        #expect(try authenticator.check(token).get().role == "reader")
        #expect(try file.revoke(key.id).role == "reader")
    }

    @Test func `keys that are created at once are all in the file`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { [file] in
                    _ = try file.create(
                        principal: "p\(number)",
                        role: "r",
                        expiresAt: nil,
                        at: now
                    )
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(try file.readKeys().map(\.principal)).count == 8)
    }

    private static let good: [(String, String)] = [
        ("id", "\"abcdefghij27\""), ("principal", "\"ada\""), ("role", "\"author\""),
        ("digest", "\"\(String(repeating: "0a", count: 32))\""),
        ("created", "\"2026-11-23T00:00:00Z\""),
    ]

    private func refusal(_ changes: [(String, String?)]) throws -> String? {
        var members = Self.good
        for (name, value) in changes {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }
        let text = members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
        return try refusal(of: "{\"keys\":[{\(text)}]}")
    }

    private func refusal(of content: String, mode: UInt32 = 0o600) throws -> String? {
        try folder.write(content, to: "api.json", mode: mode)
        do {
            _ = try authenticator()
            return nil
        } catch {
            return "\(error)".replacing(folder.path + "/", with: "")
        }
    }

    @Test func `the file is read strictly, and its errors have their places`() throws {
        #expect(try refusal([]) == nil)
        #expect(try refusal([("expires", "\"2027-01-31T00:00:00Z\"")]) == nil)
        #expect(
            try refusal([("expire", "\"2027-01-31T00:00:00Z\"")])
                == "api.json: /keys/0: unknown member \"expire\"; allowed are id, principal, role, "
                + "digest, created, expires"
        )
        let time = "expected a time such as 2027-01-31T00:00:00Z"
        #expect(try refusal([("expires", "null")]) == "api.json: /keys/0/expires: \(time)")
        #expect(try refusal([("expires", "\"never\"")]) == "api.json: /keys/0/expires: \(time)")
        #expect(try refusal([("created", nil)]) == "api.json: /keys/0/created: \(time)")
        let digest = "api.json: /keys/0/digest: expected 64 hexadecimal digits in lower case"
        for bad in ["0A", "0", "0g", "0a0a"] {
            let text = "\"\(String(repeating: bad, count: 32))\""
            #expect(try refusal([("digest", text)]) == digest)
        }
        for bad in ["\"ABCDEFGHIJ27\"", "\"a\"", "1", "\"abcdefghij1\u{E9}\""] {
            #expect(
                try refusal([("id", bad)])
                    == "api.json: /keys/0/id: expected 12 characters of a to z and 2 to 7"
            )
        }
        #expect(try refusal([("principal", "\"anonymous\"")]) != nil)
        #expect(try refusal([("role", "\"\"")]) != nil)

        let key = "{" + Self.good.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
        #expect(
            try refusal(of: "{\"keys\":[\(key),\(key)]}")
                == "api.json: /keys/1/id: another key in the file has the id 'abcdefghij27', too"
        )
        let shape = "api.json: expected an object whose only member is the array 'keys'"
        for bad in ["[]", "{}", "{\"keys\":{}}", "{\"keys\":[],\"more\":1}"] {
            #expect(try refusal(of: bad) == shape)
        }
        #expect(try refusal(of: "{\"keys\":[1]}") == "api.json: /keys/0: expected an object")
        #expect(try refusal(of: "{\"keys\":[],\"keys\":[]}")?.contains("keys") == true)
        for mode in [0o620, 0o602, 0o666] as [UInt32] {
            #expect(
                try refusal(of: "{\"keys\":[]}", mode: mode)
                    == "api.json: users other than its owner may write it, and so could add credentials"
                    + "; run chmod go-w"
            )
        }
    }

    @Test func `impossible names are refused`() throws {
        for name in ["", "anonymous", "a\nb", String(repeating: "a", count: 256)] {
            #expect(throws: CredentialFileError.self) { try create(name) }
        }
        #expect(throws: CredentialFileError.self) { try file.revoke("abcdefghij27") }
    }
}
