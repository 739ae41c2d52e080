import Locks
import StoreCore
import Synchronization

/// Which actions of a root state's modules tests have exercised, by ``TestStore`` or ``Given``.
final class ActionCoverage: Sendable {
    /// What the tests of this task are counted in.
    @TaskLocal static var current: ActionCoverage?

    private struct Key: Hashable {
        let type: ObjectIdentifier
        /// The case, where the type is an enum whose cases are known.
        let name: String?
    }

    /// Every action there is: in the order of modules, and then of cases.
    private let actions: [(key: Key, wireName: String)]
    private let keys: Set<Key>
    private let seen = Locked<Set<Key>>([])

    init<Root: RootState>(of _: Root.Type) {
        var actions: [(key: Key, wireName: String)] = []
        for mount in Root.modules where !Self.isProvided(mount) {
            for handler in mount.slice.handlers {
                let type = ObjectIdentifier(handler.type)
                let whole = Key(type: type, name: nil)
                switch handler.kind {
                case .start: actions.append((whole, "\(mount.name)/start"))
                case .stop: actions.append((whole, "\(mount.name)/stop"))
                case .dispatchable: actions.append((whole, "\(handler.type)"))
                case .action, .ui, .internal:
                    guard let names = handler.wire.flatMap({ ActionCases.names(of: $0) }) else {
                        actions.append((whole, "\(mount.name)/*"))
                        continue
                    }
                    for name in names {
                        actions.append((Key(type: type, name: name), "\(mount.name)/\(name)"))
                    }
                }
            }
        }
        self.actions = actions
        keys = Set(actions.map(\.key))
    }

    /// Whether a module comes with the library, which tests it itself.
    private static func isProvided<Root>(_ mount: Mount<Root>) -> Bool {
        mount.slice.place(of: Sessions.State.self) != nil
            || mount.slice.place(of: PendingEffects.State.self) != nil
    }

    /// A test has exercised an action. Any thread.
    func note(_ action: any Action) {
        let action = (action as? AddressedAction)?.action ?? action
        let type = ObjectIdentifier(type(of: action))
        let whole = Key(type: type, name: nil)
        if keys.contains(whole) {
            seen.withLock { _ = $0.insert(whole) }
        } else if let action = action as? any Encodable, let name = ActionCases.name(of: action) {
            seen.withLock { _ = $0.insert(Key(type: type, name: name)) }
        }
    }

    /// The wire names of all actions.
    var names: [String] { actions.map(\.wireName) }

    /// The wire names of those that no test has exercised.
    var missing: [String] {
        let seen = seen.withLock { $0 }
        return actions.filter { !seen.contains($0.key) }.map(\.wireName)
    }
}
