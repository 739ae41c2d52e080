/// Checks that a root state consists of its modules' slices and nothing else.
///
/// Whatever else it has would be written nowhere, and so be lost with the first start that goes on
/// from what was written.
enum RootMembers {
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
            // A state without a form on the wire is refused by those who write it.
            return
        }
        let foreign = recorder.keys.filter { !names.contains($0) }
        // An absent slice may be left out as well as be null.
        let lacks = Root.modules.contains {
            $0.slice.form != .started && !recorder.keys.contains($0.name)
        }
        if lacks || !foreign.isEmpty { throw .foreignMember(found: foreign, modules: names) }
    }

    /// The stored members at which no module is mounted.
    private static func unmounted<Root: RootState>(
        in root: Root,
        _ modules: Root.Modules
    ) -> [String] {
        // A type that shows itself otherwise than it is shows nothing here.
        guard !(root is any CustomReflectable) else { return [] }
        let members = Mirror(reflecting: root).children.compactMap(\.label)
        let mounted = modules.map { member(at: $0.path, of: Root.self) }
        let foreign = members.filter { member in
            // The storage of a wrapped property has its name behind an underscore.
            !mounted.contains(member)
                && !(member.first == "_" && mounted.contains(String(member.dropFirst())))
        }
        // What a computed path reads is not to be found out, so then only the counts are compared.
        guard mounted.contains(nil) else { return foreign }
        return members.count > modules.count ? foreign : []
    }

    /// The member of the root with which a path begins; `nil` where the path has no name.
    private static func member<Root>(at path: AnyKeyPath, of root: Root.Type) -> String? {
        let text = "\(path)"
        let start = "\\\(root)."
        guard text.hasPrefix(start) else { return nil }
        let member = text.dropFirst(start.count).prefix { $0 != "." && $0 != "?" && $0 != "!" }
        return member.isEmpty || member.contains("<") ? nil : String(member)
    }
}
