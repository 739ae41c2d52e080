public import DefaultUserInterface
public import StoreCore

struct UserModule: StartableModule {
    typealias Interface = User

    /// The maximum size of a display name, in bytes.
    static let nameBytesMax = 200

    func begin(_ start: User.Start) -> State { State(profile: start.profile) }

    /// Returns the slice of the new user. The store calls this function if a session logs in while
    /// a user is logged in already.
    func begin(_ start: User.Start, over old: State) -> State { begin(start) }

    /// Changes the display name. Refuses a name that is empty or too long.
    func reduce(_ state: inout State, _ action: User.Action) throws {
        switch action {
        case .edited(let name):
            guard 1...Self.nameBytesMax ~= name.utf8.count else {
                throw Refusal(
                    reason: "A name must have 1 to \(Self.nameBytesMax) bytes.",
                    pointer: "/displayName"
                )
            }
            state.profile.displayName = name
        }
    }
}

extension User {
    /// The module, for the program that mounts it.
    public static var module: some StartableModule<State> { UserModule() }
}
