// The report of changes to the observers of slices.

extension ModuleMachine {
    package func isWatched(_ route: ActionRoute) -> Bool {
        guard let changes else { return false }
        for module in reach[route.module] where changes.isWatched(module) { return true }
        // The end of a session removes all of its slices.
        return route.isForSessions && sessionModules.contains(where: changes.isWatched)
    }

    package func show(_ change: Change, from old: Root, to new: Root, _ cause: SliceCause) {
        changes?.show(change, from: old, to: new, cause)
    }
}
