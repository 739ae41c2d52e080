/// The names of readers in indexes. A principal has `@` before its name, a role has `#` before its
/// name, and `*` stands for all clients.
package enum ReaderName {
    /// The name of all clients.
    package static let all = "*"

    /// Returns the name of a role.
    package static func role(_ name: String) -> String { "#" + name }

    /// Returns the name of a client in topics: the name of its owner, a zero byte, and its role. No
    /// name contains a zero byte.
    package static func client(_ owner: String, role: String?) -> String {
        role.map { owner + "\0" + $0 } ?? owner
    }

    /// Returns the owner in the name of a client.
    package static func owner(ofClient name: String) -> String {
        name.utf8.firstIndex(of: 0).map { String(name[..<$0]) } ?? name
    }

    /// Returns true if a client is among these readers.
    package static func isIncluded(_ client: String, in readers: [String]) -> Bool {
        names(ofClient: client).contains { name in readers.contains { $0.isSame(as: name) } }
    }

    /// Returns the names under which a client may be among the readers.
    package static func names(ofClient name: String) -> [String] {
        guard let zero = name.utf8.firstIndex(of: 0) else { return [name, all] }
        let role = String(name[name.utf8.index(after: zero)...])
        return [String(name[..<zero]), self.role(role), all]
    }
}
