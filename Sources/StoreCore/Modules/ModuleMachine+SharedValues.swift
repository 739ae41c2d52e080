// What modules see of one another (``SharingModule``): the slice of a reader has a copy of what the
// owner shares, and each action that changes one of the two brings the copy up to date.

extension ModuleMachine {
    /// Fills in all copies, in a state that no action has led to: the initial one, or a snapshot.
    package func connect(_ state: inout Root) {
        for link in links.joined() { _ = update(link, &state) }
    }

    /// Brings the copies of these links up to date after an action. A reader whose slice that
    /// changed is added to `change`.
    func updateCopies(_ links: [Link], _ state: inout Root, _ change: inout Change) {
        for link in links where update(link, &state) {
            change.touch(Touch(link.reader))
        }
    }

    /// Brings one copy up to date. Returns whether that changed the reader's slice.
    private func update(_ link: Link, _ state: inout Root) -> Bool {
        link.shared.update(
            &state,
            modules[link.reader].slice,
            modules[link.owner].slice,
            comparison
        )
    }

    /// For each module, the links that an action on it may change: where it is the owner, because
    /// its value may be another, and where it is the reader, because its slice may have begun just
    /// now, with an empty copy.
    static func links(of modules: Root.Modules) throws(ModuleError) -> [[Link]] {
        var links: [[Link]] = Array(repeating: [], count: modules.count)
        for (reader, mount) in modules.enumerated() {
            for shared in mount.sharedLinks {
                guard let owner = modules.firstIndex(where: { $0.name == shared.owner }),
                    owner != reader
                else { throw ModuleError.foreignOwner(shared.owner, reader: mount.name) }
                let link = Link(reader: reader, owner: owner, shared: shared)
                links[owner].append(link)
                links[reader].append(link)
            }
        }
        return links
    }
}
