import StoreCore
import StoreJSON
import StorePatterns
import StorePlatform
import Synchronization

/// The actions of a root state's modules that tests have exercised, by ``TestStore`` or ``Given``.
final class ActionCoverage: Sendable {
    /// The counter of the tests of this task.
    @TaskLocal static var current: ActionCoverage?

    private struct Key: Hashable {
        let type: ObjectIdentifier
        /// The name of the case, if the type is an enum with known cases.
        let name: String?
    }

    /// All actions, in the order of modules, and then of cases.
    private let actions: [(key: Key, wireName: String)]
    private let keys: Set<Key>
    /// The reason why a server does not start with these actions; `nil` if it starts.
    let refusal: String?
    private let seen = Locked<Set<Key>>([])

    init<Root: RootState>(of _: Root.Type) {
        let names = ActionNames.of(Root.modules)
        let provided = Set(
            Root.modules.filter(Self.isProvided).flatMap { mount in
                mount.handlers.map { ObjectIdentifier($0.type) }
            }
        )
        actions = names.entries.filter { !provided.contains($0.type) }.map { entry in
            (Key(type: entry.type, name: entry.caseName), entry.name)
        }
        keys = Set(actions.map(\.key))
        refusal = names.refusal
    }

    /// Returns true for a module of the library; the library's own tests exercise its actions.
    private static func isProvided<Root>(_ mount: Mount<Root>) -> Bool {
        mount.place(of: Sessions.State.self) != nil
            || mount.place(of: PendingEffects.State.self) != nil
            || mount.place(of: Presence.State.self) != nil
    }

    /// Records that a test has exercised an action. Any thread may call it.
    func note(_ action: any Action) {
        let action = (action as? AddressedAction)?.action ?? action
        let type = ObjectIdentifier(type(of: action))
        let whole = Key(type: type, name: nil)
        if keys.contains(whole) {
            seen.withLock { _ = $0.insert(whole) }
        } else if let action = action as? any Encodable, let name = caseName(of: action) {
            seen.withLock { _ = $0.insert(Key(type: type, name: name)) }
        }
    }

    /// Returns the name of the case of an enum's value; `nil` if the value has none.
    private func caseName(of action: any Encodable) -> String? {
        try? JSONEncoder().encodeCase(action) { name, _ in String(decoding: name, as: UTF8.self) }
    }

    /// The wire names of the actions that no test has exercised.
    var missing: [String] {
        let seen = seen.withLock { $0 }
        return actions.filter { !seen.contains($0.key) }.map(\.wireName)
    }
}
