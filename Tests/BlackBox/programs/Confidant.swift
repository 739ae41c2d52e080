// A shop that keeps addresses of its users, and forgets a user on demand.

import StoreCore
import StorePatterns
import StoreServer

/// The address of a user.
struct Profile: Module {
    struct State: ModuleState {
        var street = ""
        var notes: [String] = []
    }

    struct Note: Codable, Sendable, Equatable {
        var text: String
        var kind: String
    }

    enum Action: ModuleAction {
        case addressChanged(street: String, country: String)
        case noted(notes: [Note])
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .addressChanged(let street, _): state.street = street
        case .noted(let notes): state.notes += notes.map(\.text)
        }
    }
}

/// The addresses of friends that users have given, in one slice for all users.
struct Invitations: Module {
    struct State: ModuleState {
        var emails: [String: String] = [:]
        var total = 0
        var isClosed = false
    }

    enum Action: ModuleAction {
        case sent(invitee: String, email: String)
        case removed(invitee: String)
        case closed
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .sent(let invitee, let email):
            state.emails[invitee] = email
            state.total += 1
        case .removed(let invitee):
            guard !state.isClosed else { throw Refusal(reason: "The invitations are closed.") }
            state.emails[invitee] = nil
        case .closed: state.isClosed = true
        }
    }
}

struct AppState: RootState {
    var profile = PerPrincipal(Profile.State())
    var invitations = Invitations.State()
    var users = PerPrincipal(Users.State())
    var sessions = Sessions.State()

    static let modules: Modules = [
        Profile().at(\.profile), Invitations().at(\.invitations), Users().at(\.users),
        Sessions().at(\.sessions),
    ]
}

Server(AppState.self)
    .personal("profile/addressChanged", "/street")
    .personal("profile/noted", "/notes/*/text")
    .personal("invitations/sent", "/email", of: "/invitee")
    .forgetting {
        [Users.Internal.forgotten(principal: $0), Invitations.Action.removed(invitee: $0)]
    }
    .main()
