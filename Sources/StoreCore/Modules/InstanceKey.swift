/// An instance's id as a name on the wire: two are one where their bytes are.
///
/// Text alone compares by what it looks like, so that two members of one object could be one instance.
package struct InstanceKey: Hashable, Codable, CodingKeyRepresentable, Sendable {
    package let id: String

    package init(_ id: String) { self.id = id }

    package var codingKey: any CodingKey { SliceName(id) }
    package init(codingKey: some CodingKey) { id = codingKey.stringValue }

    package static func == (a: InstanceKey, b: InstanceKey) -> Bool {
        a.id.utf8.elementsEqual(b.id.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var id = id
        id.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
