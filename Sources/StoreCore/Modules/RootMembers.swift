/// A check that a root state has the slices of its modules and nothing else.
///
/// A store would not write any other member, so the member would be lost at a start from a
/// snapshot.
enum RootMembers {
    /// Checks the members of a root state, and the names under which they are encoded.
    ///
    /// - Throws: ``ModuleError/foreignMember(found:modules:)``.
    static func check<Root: RootState>(_ root: Root, _ modules: Root.Modules) throws(ModuleError) {
        let unmounted = unmountedMemberNames(in: root, modules)
        guard unmounted.isEmpty else {
            throw .foreignMember(found: unmounted, modules: modules.map(\.name))
        }
        let names = Root.modules.map(\.name)
        let recorder = KeyRecorder()
        do {
            try root.encode(to: recorder)
        } catch {
            // This check ignores a state that cannot be encoded. The server reports the error when
            // the server encodes the state.
            return
        }
        let foreign = recorder.keys.filter { !names.contains($0) }
        // An absent slice may be left out or be null.
        let lacks = Root.modules.contains {
            $0.slicePlace.cardinality != .optional && !recorder.keys.contains($0.name)
        }
        if lacks || !foreign.isEmpty { throw .foreignMember(found: foreign, modules: names) }
    }

    /// Returns the names of the stored members at which no module is mounted.
    private static func unmountedMemberNames<Root: RootState>(
        in root: Root,
        _ modules: Root.Modules
    ) -> [String] {
        // A type with a mirror of its own may hide its members.
        guard !(root is any CustomReflectable) else { return [] }
        let members = Mirror(reflecting: root).children.compactMap(\.label)
        let mounted = modules.map { memberName(at: $0.slicePlace.path, of: Root.self) }
        let foreign = members.filter { member in
            // The storage of a wrapped property has the property's name behind an underscore.
            !mounted.contains(member)
                && !(member.first == "_" && mounted.contains(String(member.dropFirst())))
        }
        // The members behind a computed path are unknown, so the check counts members and modules.
        guard mounted.contains(nil) else { return foreign }
        return members.count > modules.count ? foreign : []
    }

    /// Returns the name of the member with which a key path begins; `nil` if the description of the
    /// key path has no name.
    private static func memberName<Root>(at path: AnyKeyPath, of root: Root.Type) -> String? {
        let text = "\(path)"
        let start = "\\\(root)."
        guard text.hasPrefix(start) else { return nil }
        let member = text.dropFirst(start.count).prefix { $0 != "." && $0 != "?" && $0 != "!" }
        return member.isEmpty || member.contains("<") ? nil : String(member)
    }
}

/// An encoder that records the keys of the outermost object of a value, and nothing else.
final class KeyRecorder: Encoder {
    /// The maximum depth of nested single-value containers.
    private static let depthMax = 8

    /// The keys, in the order in which they were written.
    private(set) var keys: [String] = []
    private var depth = 0

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>(recorder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Values() }
    func singleValueContainer() -> any SingleValueEncodingContainer { Values(recorder: self) }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let recorder: KeyRecorder
        var codingPath: [any CodingKey] { [] }

        /// Records a key. Returns another encoder for the value of the key, so that the keys in the
        /// value are dropped.
        private func record(_ key: String) -> KeyRecorder {
            recorder.keys.append(key)
            return KeyRecorder()
        }

        func encodeNil(forKey key: Key) { _ = record(key.stringValue) }
        func encode<T: Encodable>(_ value: T, forKey key: Key) { _ = record(key.stringValue) }
        func nestedContainer<Other: CodingKey>(
            keyedBy type: Other.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Other> {
            record(key.stringValue).container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            record(key.stringValue).unkeyedContainer()
        }
        func superEncoder() -> any Encoder { record("super") }
        func superEncoder(forKey key: Key) -> any Encoder { record(key.stringValue) }
    }

    /// A container for the elements of an array, or for a value that is encoded as another value.
    /// The keys in the elements of an array are dropped.
    private struct Values: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        /// The recorder of the keys in the other value; `nil` in an array.
        var recorder: KeyRecorder?
        private(set) var count = 0
        var codingPath: [any CodingKey] { [] }

        init(recorder: KeyRecorder? = nil) { self.recorder = recorder }

        mutating func encodeNil() { count += 1 }
        mutating func encode<T: Encodable>(_ value: T) throws {
            count += 1
            guard let recorder, recorder.depth < KeyRecorder.depthMax else { return }
            recorder.depth += 1
            try value.encode(to: recorder)
        }
        mutating func nestedContainer<Key: CodingKey>(
            keyedBy type: Key.Type
        ) -> KeyedEncodingContainer<Key> {
            superEncoder().container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            superEncoder().unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder {
            count += 1
            return KeyRecorder()
        }
    }
}
