/// A check that a root state has the slices of its modules and nothing else.
///
/// Any other member would not be written, and so would be lost with the next start from a snapshot.
enum RootMembers {
    /// Checks the members of a root state, and the names under which they are encoded.
    ///
    /// - Throws: ``ModuleError/foreignMember(found:modules:)``.
    static func check<Root: RootState>(
        _ root: Root,
        _ modules: Root.Modules
    ) throws(ModuleError) {
        let unmounted = unmounted(in: root, modules)
        guard unmounted.isEmpty else {
            throw .foreignMember(found: unmounted, modules: modules.map(\.name))
        }
        let names = Root.modules.map(\.name)
        let recorder = KeyRecorder()
        do {
            try root.encode(to: recorder)
        } catch {
            // A state that cannot be encoded is reported when it is written.
            return
        }
        let foreign = recorder.keys.filter { !names.contains($0) }
        // An absent slice may be left out or be null.
        let lacks = Root.modules.contains {
            $0.slice.form != .started && !recorder.keys.contains($0.name)
        }
        if lacks || !foreign.isEmpty { throw .foreignMember(found: foreign, modules: names) }
    }

    /// Returns the names of the stored members at which no module is mounted.
    private static func unmounted<Root: RootState>(
        in root: Root,
        _ modules: Root.Modules
    ) -> [String] {
        // A type with a mirror of its own may hide its members.
        guard !(root is any CustomReflectable) else { return [] }
        let members = Mirror(reflecting: root).children.compactMap(\.label)
        let mounted = modules.map { member(at: $0.path, of: Root.self) }
        let foreign = members.filter { member in
            // The storage of a wrapped property has the property's name behind an underscore.
            !mounted.contains(member)
                && !(member.first == "_" && mounted.contains(String(member.dropFirst())))
        }
        // The members that a computed path reads are unknown, so only the counts are compared.
        guard mounted.contains(nil) else { return foreign }
        return members.count > modules.count ? foreign : []
    }

    /// Returns the member of the root with which a path begins; `nil` if the path has no name.
    private static func member<Root>(at path: AnyKeyPath, of root: Root.Type) -> String? {
        let text = "\(path)"
        let start = "\\\(root)."
        guard text.hasPrefix(start) else { return nil }
        let member = text.dropFirst(start.count).prefix { $0 != "." && $0 != "?" && $0 != "!" }
        return member.isEmpty || member.contains("<") ? nil : String(member)
    }
}
