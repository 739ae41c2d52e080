import StoreCore
import StoreServer

/// The options of the courier.
struct CourierOptions: ProgramOptions {
    enum Pace: String, CaseIterable, Sendable { case slow, fast }

    var hookSecret = Secret()
    var attemptsMax = 3
    var pause = Duration.seconds(2)
    var carrier = "https://carrier.example/hooks"
    var folder: String?
    var pace = Pace.slow
    var isDry = false
    var regions: [String] = []

    static let options: [Option] = [
        .flag("hook-secret", "the secret that signs each parcel")
            .sets(\.hookSecret, .secret(bytes: 16...64)),
        .flag("attempts-max", "how often a parcel is sent at most")
            .sets(\.attemptsMax, .number(1...10, "attempts")),
        .flag("pause", "the pause between two attempts").sets(\.pause, .seconds(1...60)),
        .flag("carrier", "the carrier that takes the parcels").sets(\.carrier, .url),
        .flag("folder", "where copies of the parcels are kept").sets(\.folder, .optional(.path)),
        .flag("pace", "how parcels travel").sets(\.pace, .choice("PACE")),
        .flag("dry", "send nothing").sets(\.isDry, .toggle),
        .flag("region", "a region that gets parcels")
            .sets(each: \.regions, .text("REGION", bytes: 1...8)),
    ]

    func check() throws(ConfigurationError) {
        guard isDry, folder != nil else { return }
        throw ConfigurationError("--dry sends nothing, so --folder has nothing to keep; give one")
    }
}

/// The options in force, as an effect reads them.
struct Courier: EffectfulModule {
    struct State: ModuleState {
        var options: [String] = []
        var isSigned = false
    }

    enum Action: ModuleAction {
        case asked
    }

    enum Internal: ModuleAction {
        case answered(options: [String], isSigned: Bool)
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        .run { context in
            let options = try context.dependencies[CourierOptions.self]
            let texts = [
                "\(options.attemptsMax)", "\(options.pause.components.seconds)", options.carrier,
                options.folder ?? "none", options.pace.rawValue, "\(options.isDry)",
                options.regions.joined(separator: "+"), "\(options.hookSecret)",
            ]
            let isSigned = options.hookSecret.text == "correct horse battery"
            try await context.dispatch(Internal.answered(options: texts, isSigned: isSigned))
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        if case .answered(let options, let isSigned) = action {
            state = State(options: options, isSigned: isSigned)
        }
        return .none
    }
}

struct AppState: RootState {
    var courier = Courier.State()
    static let modules: Modules = [Courier().at(\.courier)]
}

Server(AppState.self, name: "courier", version: "2.4.0").options(CourierOptions.self).main()
