import StoreCore
import StoreServer

extension Simulation {
    /// The views, with the modules that they are made from.
    static var views: [Roles.View] {
        P.Root.views.map { view in
            let reads: [any ModuleInterface.Type] = view.reads
            let names = reads.isEmpty ? StateText.names(P.Root.self) : reads.map { $0.name }
            return Roles.View(name: view.name, modules: Set(names))
        }
    }

    /// Changes the sights of the roles, as the operator does. Streams of parts that are hidden now
    /// have to end, and no others.
    func changePolicy(_ chance: inout Chance) throws {
        guard let roles else { return }
        try checkStreams()
        let before = roles.sights
        try roles.draw(&chance)
        note("another policy: \(roles.sights)")
        // A policy has the names of the served program.
        try ShippedEdition.$current.withValue(edition) { try server.reloadAccess() }
        server.turnStreams()
        for reader in readers {
            guard
                let member = roles.members.firstIndex(where: { $0.name == reader.reading.principal }
                )
            else { continue }
            _ = try reader.take()
            let shows = reader.reading.sight ?? Set(Naive<P>.names)
            let parts = reader.target.path.split(separator: "/", maxSplits: 2)
            let isLess =
                switch parts.first.map({ String($0) }) ?? "" {
                case "modules": !roles.sights[member].contains(String(parts[1]))
                case "views": !roles.views[member].contains(String(parts[1]))
                case "route": false
                default:
                    if let watched = reader.target.watchedMember {
                        // A member that was hidden is still shown as absent.
                        shows.contains(watched) && !roles.sights[member].contains(watched)
                    } else {
                        !shows.isSubset(of: roles.sights[member])
                    }
                }
            // A reader that is behind gets its end later.
            guard isLess ? reader.isClosed || reader.leftOut != nil || isBehind(reader) : true,
                isLess || !reader.isClosed
            else {
                throw Violation(
                    .sights,
                    "\(reader.target.path) of \(reader.reading.name) \(isLess ? "goes on" : "ends"), "
                        + "\(before[member]) to \(roles.sights[member])"
                )
            }
        }
    }

    /// True if a reader has not got the newest content of its stream.
    private func isBehind(_ reader: Reader) -> Bool {
        reader.content != reader.reading.part(reader.target, of: naive.text)
    }
}
