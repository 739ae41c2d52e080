import StoreJSON
import StoreTexts
import StoreWire

/// The text of a keys file: `{"keys":[{"id":…,"principal":…,"role":…,"digest":…,"created":…}]}`.
///
/// The initializers refuse unknown members, because a misspelled `expires` must not make a key
/// without an end.
struct APIKeyDocument {
    /// The most keys that a server takes.
    static let countMax = 10_000
    /// The most bytes of a file: enough for ``countMax`` keys with the longest names.
    static let bytesMax = 16 << 20

    var keys: [APIKey] = []

    init() {}

    /// Reads a file as a server does.
    ///
    /// - Throws: ``CredentialFileError`` if the file has invalid content, or more than ``countMax``
    ///   keys.
    init(_ file: CredentialFile.Content) throws(CredentialFileError) {
        try self.init(ofAnyCount: file)
        guard keys.count <= Self.countMax else {
            throw CredentialFileError(
                file.path,
                "it has \(keys.count) keys; at most \(Self.countMax) are allowed. 'token list' "
                    + "shows them, and 'token revoke' removes one"
            )
        }
    }

    /// Reads a file for the command line. The file may have more than ``countMax`` keys, so that a
    /// command can remove some of them.
    init(ofAnyCount file: CredentialFile.Content) throws(CredentialFileError) {
        let root = try file.json(within: JSONLimits(bytesMax: Self.bytesMax, depthMax: 3))
        guard root.kind == .object, let list = root.member("keys"), list.kind == .array,
            root.members.count == 1
        else {
            throw CredentialFileError(
                file.path,
                "expected an object whose only member is the array 'keys'"
            )
        }
        var ids: Set<String> = []
        for (index, node) in list.elements.enumerated() {
            let place = ErrorLocation(file: file.path, pointer: "/keys/\(index)")
            let key = try Self.readKey(node, place)
            guard ids.insert(key.id).inserted else {
                throw place.error("/id", "another key in the file has the id '\(key.id)', too")
            }
            keys.append(key)
        }
    }

    /// The place of an error in the file: the pointer to the key.
    private struct ErrorLocation {
        let file: String
        let pointer: String

        func error(_ member: String, _ problem: String) -> CredentialFileError {
            CredentialFileError(file, "\(pointer)\(member): \(problem)")
        }
    }

    private static let memberNames = ["id", "principal", "role", "digest", "created", "expires"]

    private static func readKey(
        _ node: JSONNode,
        _ place: ErrorLocation
    ) throws(CredentialFileError) -> APIKey {
        guard node.kind == .object else { throw place.error("", "expected an object") }
        for (name, _) in node.members where !memberNames.contains(exactly: name) {
            throw place.error(
                "",
                "unknown member \(JSONText.quoted(name)); allowed are "
                    + memberNames.joined(separator: ", ")
            )
        }
        func value<Value>(
            _ name: String,
            allowed: String,
            _ read: (String) -> Value?
        ) throws(CredentialFileError) -> Value {
            guard let value = node.member(named: name)?.stringValue.flatMap(read) else {
                throw place.error("/\(name)", "expected \(allowed)")
            }
            return value
        }
        return APIKey(
            id: try value("id", allowed: "12 characters of a to z and 2 to 7") {
                APIKeyToken.isID($0) ? $0 : nil
            },
            principal: try value(
                "principal",
                allowed: PrincipalName.allowedDescription + ", and not the name 'anonymous'"
            ) { PrincipalName.isAllowedForPrincipal($0) ? $0 : nil },
            role: try value("role", allowed: PrincipalName.allowedDescription) {
                PrincipalName.isAllowed($0) ? $0 : nil
            },
            digest: try value("digest", allowed: "64 hexadecimal digits in lower case") {
                TokenDigest(hex: $0)
            },
            createdAt: try value("created", allowed: timeDescription) { unixSeconds(ofTime: $0) },
            expiresAt: node.member("expires") == nil
                ? nil : try value("expires", allowed: timeDescription) { unixSeconds(ofTime: $0) }
        )
    }

    private static let timeDescription = "a time such as 2027-01-31T00:00:00Z"

    /// Returns a time in RFC 3339's form as whole seconds since 1970; `nil` for any other text.
    static func unixSeconds(ofTime text: String) -> Int64? {
        CivilTime.nanoseconds(rfc3339: text).map { $0 / 1_000_000_000 }
    }

    /// The text of the file, with one key on each line.
    var bytes: [UInt8] {
        var text = Array("{\"keys\": [".utf8)
        for (index, key) in keys.enumerated() {
            var json = JSONWriter()
            json.object { json in
                json.member("id", key.id)
                json.member("principal", key.principal)
                json.member("role", key.role)
                json.member("digest", key.digest.hex)
                json.member("created", CivilTime(secondsSince1970: key.createdAt).rfc3339(.seconds))
                if let expires = key.expiresAt {
                    json.member("expires", CivilTime(secondsSince1970: expires).rfc3339(.seconds))
                }
            }
            text += Array(index == 0 ? "\n".utf8 : ",\n".utf8)
            text += json.byteArray
        }
        return text + Array("\n]}\n".utf8)
    }
}
