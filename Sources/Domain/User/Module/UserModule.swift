public import DefaultUserInterface
public import StoreCore

/// The user: how one comes, and what may be changed.
struct UserModule: StartableModule {
    typealias Interface = User

    /// The most bytes of a name.
    static let nameBytesMax = 200

    /// The user who has logged in.
    func begin(_ start: User.Start) -> State { State(profile: start.profile) }

    /// A session logs in again: the user takes the place of the one before.
    func begin(_ start: User.Start, over old: State) -> State { begin(start) }

    /// Refused where the name is empty or too long.
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
