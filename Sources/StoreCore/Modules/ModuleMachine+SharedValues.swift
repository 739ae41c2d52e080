// What modules see of one another (``SharingModule``): the slice of a reader has a copy of what the
// owner shares, and each action that changes one of the two brings the copy up to date.

extension ModuleMachine {
    /// Fills in all copies, in a state that no action has led to: the initial one, or a snapshot.
    package func connect(_ state: inout Root) {
        for link in links.joined() {
            for key in link.shared.keys(of: modules[link.reader].slice, state) {
                _ = update(link, key, &state)
            }
        }
    }

    /// Brings the copies of these links up to date after an action on a slice of the module. The
    /// slices of readers that changed are added to `change`.
    ///
    /// Where a shared slice is read by those of sessions or instances, all of these get the new
    /// value, and what is noted is that all may have changed.
    func updateCopies(
        _ links: [Link],
        of module: Int,
        _ key: SliceKey,
        _ state: inout Root,
        _ change: inout Change
    ) {
        for link in links {
            if link.reader == module {
                if update(link, key, &state) { change.touch(Touch(link.reader, key)) }
                continue
            }
            let keys = link.shared.keys(of: modules[link.reader].slice, state, readingFrom: key)
            let changed = keys.filter { update(link, $0, &state) }
            if changed.count > Self.touchesMax {
                change.touch(Touch(link.reader))
            } else {
                for key in changed { change.touch(Touch(link.reader, key)) }
            }
        }
    }

    /// Brings the copy in one slice up to date. Returns whether that changed the slice.
    private func update(_ link: Link, _ key: SliceKey, _ state: inout Root) -> Bool {
        link.shared.update(
            &state,
            modules[link.reader].slice,
            modules[link.owner].slice,
            key,
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
                guard modules[owner].slice.sharedType == shared.value else {
                    throw ModuleError.sharesNothing(shared.owner, reader: mount.name)
                }
                guard modules[owner].slice.form != .instances else {
                    throw ModuleError.manyOwners(shared.owner, reader: mount.name)
                }
                guard
                    modules[owner].slice.ownership != .session
                        || mount.slice.ownership == .session
                else { throw ModuleError.ownersOfSessions(shared.owner, reader: mount.name) }
                let link = Link(reader: reader, owner: owner, shared: shared)
                links[owner].append(link)
                links[reader].append(link)
            }
        }
        return links
    }
}
