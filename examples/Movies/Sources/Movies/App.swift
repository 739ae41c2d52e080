import StoreCore
import StoreServer

struct AppState: RootState {
    var popular = Popular.State()
    var search = Search.State()
    var details: Details.State?

    static let modules: Modules = [
        Popular().at(\.popular),
        Search().at(\.search),
        Details().at(\.details).lifecycle(.everybody),
    ]

    static let views: Views = [
        PopularViewModel.self, SearchViewModel.self, DetailsViewModel.self,
    ]
}

@main
struct App {
    static func main() { Server(AppState.self, name: "movies").options(MovieOptions.self).main() }
}
