// Values that one module shares and others read.

extension ModuleMachine {
    /// Copies all shared values to their readers, in a state that no action has led to.
    package func connect(_ state: inout Root) {
        for link in links.joined() { _ = update(link, &state) }
    }

    /// Copies the shared values of these links that have changed.
    func follow(_ links: [Link], _ state: inout Root, _ change: inout Change) {
        for link in links where update(link, &state) {
            change.touch(Touch(link.reader))
        }
    }

    /// Copies one shared value to its reader. Returns whether it has changed.
    private func update(_ link: Link, _ state: inout Root) -> Bool {
        link.link.update(
            &state,
            modules[link.reader].slice,
            modules[link.owner].slice,
            comparison
        )
    }

    static func links(of modules: Root.Modules) throws(ModuleError) -> [[Link]] {
        var links: [[Link]] = Array(repeating: [], count: modules.count)
        for (reader, mount) in modules.enumerated() {
            for shared in mount.links {
                guard let owner = modules.firstIndex(where: { $0.name == shared.owner }),
                    owner != reader
                else { throw ModuleError.foreignOwner(shared.owner, reader: mount.name) }
                let link = Link(reader: reader, owner: owner, link: shared)
                links[owner].append(link)
                links[reader].append(link)
            }
        }
        return links
    }
}
