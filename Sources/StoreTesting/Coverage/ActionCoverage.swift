import StoreActionCatalog
import StoreCore
import StoreJSON
import StorePatterns
import StorePlatform
import Synchronization

/// The actions of a root state's modules that tests have exercised with a ``TestStore`` or a
/// ``Given``.
final class ActionCoverage: Sendable {
    /// The coverage to which the tests of this task add their actions.
    @TaskLocal static var current: ActionCoverage?

    /// The table of actions that a server makes for the root state; `nil` if the server does not
    /// start.
    private let table: ActionTable?
    /// The reason why a server does not start with these actions; `nil` if a server starts.
    let startFailure: String?
    /// The names of the modules that the library provides. The library's own tests exercise the
    /// actions of these modules.
    private let libraryModuleNames: [String]
    /// The indices of the exercised actions in the table.
    private let exercisedIndices = Locked<Set<Int>>([])

    init<Root: RootState>(of _: Root.Type) {
        let made = ActionTable.of(Root.modules)
        table = try? made.get()
        startFailure = made.startFailureText
        libraryModuleNames = Root.modules.filter { mount in
            mount.place(of: Sessions.State.self) != nil
                || mount.place(of: PendingEffects.State.self) != nil
                || mount.place(of: Presence.State.self) != nil
                || mount.place(of: Schedule.State.self) != nil || mount.module is Users
        }.map(\.name)
    }

    /// Records that a test has exercised an action. Any thread may call this function.
    func markExercised(_ action: any Action) {
        // An action without a JSON form has no wire name.
        guard let number = try? table?.member(of: action, JSONEncoder()).typeIndex else { return }
        exercisedIndices.withLock { _ = $0.insert(number) }
    }

    /// The wire names of the actions that no test has exercised, in the order of modules.
    var unexercisedActions: [String] {
        let seen = exercisedIndices.withLock { $0 }
        let rest = (table?.entries ?? []).enumerated().filter { place, entry in
            !seen.contains(place) && !libraryModuleNames.contains(entry.module ?? "")
        }
        return rest.map(\.element.name)
    }
}

extension ActionTable {
    /// A cache of tables, by the type of the root state. The derivation of an enum's cases takes
    /// longer than most tests.
    private static let tablesByRootType = Locked<
        [ObjectIdentifier: Result<ActionTable, ConfigurationError>]
    >(
        [:]
    )

    /// Returns the table that a server makes of these modules: the modules of the root state, or a
    /// single module. The error is the reason why a server does not start.
    static func of<Root: RootState>(
        _ modules: [Mount<Root>]
    ) -> Result<ActionTable, ConfigurationError> {
        let root = ObjectIdentifier(Root.self)
        if let table = tablesByRootType.withLock({ $0[root] }) { return table }
        let table = Result { () throws(ConfigurationError) in
            var types: [RegisteredType] = []
            for actions in modules.map({ ModuleActions($0) }) + [ModuleActions(of: Root.self)] {
                types += try actions.makeTypes()
            }
            return try ActionTable(types)
        }
        tablesByRootType.withLock { $0[root] = table }
        return table
    }
}

extension Result where Failure == ConfigurationError {
    /// The text of a test's failure if a server does not start with the actions; `nil` if a server
    /// starts.
    var startFailureText: String? {
        switch self {
        case .success: nil
        case .failure(let error): "A server does not start with these actions: \(error)."
        }
    }
}
