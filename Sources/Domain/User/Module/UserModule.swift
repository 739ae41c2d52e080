public import DefaultUserInterface
public import StoreCore

struct UserModule: StartableModule {
    typealias Interface = User

    /// The most bytes of a name that is shown.
    static let nameBytesMax = 200

    func begin(_ start: User.Start) -> State { State(profile: start.profile) }

    /// Returns the slice of the new user, after a session has logged in again.
    func begin(_ start: User.Start, over old: State) -> State { begin(start) }

    /// Changes the name that is shown. Refuses a name that is empty or too long.
    func reduce(_ state: inout State, _ action: User.Action) throws {
        switch action {
        case .edited(let name):
            guard 1...Self.nameBytesMax ~= name.utf8.count else {
                throw Refusal(
                    reason: "A name has 1 to \(Self.nameBytesMax) bytes.",
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
