package import StoreTexts

/// A range of the members of an object, which begins at a name.
package struct MemberWindow: Hashable, Sendable {
    /// The default and the maximum of ``limit``.
    package static let limitDefault = 1_000
    package static let limitMax = 10_000

    /// The window begins with the first member whose name is not before this name. If `nil`, the
    /// window begins with the first member of the object.
    package let startName: ExactText?
    /// The maximum number of members of the window.
    package let limit: Int

    package init(from: String?, limit: Int) {
        self.startName = from.map { ExactText($0) }
        self.limit = limit
    }

    /// The members of a window.
    package struct Content: Sendable {
        /// An object with the members, sorted by the bytes of their names.
        package let object: Bytes
        /// The name of the first member after the window; `nil` if there is none.
        package let nextName: String?
    }
}

extension Bytes {
    /// Returns the window of an object; `nil` if the document is no object.
    ///
    /// Cost: one step for each member of the window if the document is a single table. Otherwise
    /// one pass over the document.
    package func content(of window: MemberWindow) -> MemberWindow.Content? {
        if let rows {
            return MemberWindow.Content(window) { body in
                rows.forEachRow(from: window.startName?.text) { name, row in
                    row.withUnsafeBytes { body(name, $0.bindMemory(to: UInt8.self)) }
                }
            }
        }
        guard let document = try? parseDocument(), document.root.kind == .object else { return nil }
        let members = document.root.members.map { (name: ExactText($0.name), value: $0.value) }
            .filter { member in window.startName.map { $0 <= member.name } ?? true }
            .sorted { $0.name < $1.name }
        return MemberWindow.Content(window) { body in
            for (name, value) in members where !body(name.text, value.source) { return }
        }
    }
}

extension MemberWindow.Content {
    /// Makes the content from the members that follow the beginning of a window. `forEachMember`
    /// calls its argument with each member in order, until the argument returns `false`.
    fileprivate init(
        _ window: MemberWindow,
        _ forEachMember: ((String, UnsafeBufferPointer<UInt8>) -> Bool) -> Void
    ) {
        var output = JSONOutput(capacity: 1_024)
        var count = 0
        var next: String?
        output.byte(UInt8(ascii: "{"))
        forEachMember { name, value in
            guard count < window.limit else {
                next = name
                return false
            }
            if count > 0 { output.byte(UInt8(ascii: ",")) }
            output.string(name)
            output.byte(UInt8(ascii: ":"))
            output.raw(value)
            count += 1
            return true
        }
        output.byte(UInt8(ascii: "}"))
        object = output.sharedBytes
        nextName = next
    }
}
