import Glibc

/// The mode and the group of the sockets that a server makes at paths. To connect, a client needs
/// the permission to write.
package struct SocketAccess: Sendable, Equatable {
    /// The file's mode, 0 to 0o777.
    package var mode: UInt32
    /// The group that the file belongs to; `nil` for the group of the process.
    package var group: UInt32?

    package init(mode: UInt32 = 0o660, group: UInt32? = nil) {
        self.mode = mode
        self.group = group
    }

    /// Reads a mode in octal digits, `0660` or `660`.
    package static func mode(_ text: String) -> UInt32? {
        guard 3...4 ~= text.utf8.count, let mode = UInt32(text, radix: 8), mode <= 0o777 else {
            return nil
        }
        return text.utf8.allSatisfy { 48...55 ~= $0 } ? mode : nil
    }

    /// Returns the number of a group, given by its number or its name; `nil` if there is no such
    /// group.
    package static func group(_ text: String) -> UInt32? {
        if let number = UInt32(text) { return number }
        var entry = group_entry()
        var found: UnsafeMutablePointer<group_entry>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
            guard
                getgrnam_r(text, &entry, buffer.baseAddress, buffer.count, &found) == 0,
                found != nil
            else { return nil }
            return entry.gr_gid
        }
    }

    private typealias group_entry = Glibc.group
}
