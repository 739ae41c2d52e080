// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Movies",
    dependencies: [.package(name: "StoreServer", path: "../..")],
    targets: [
        .executableTarget(
            name: "Movies",
            dependencies: [
                .product(name: "StoreHTTPClient", package: "StoreServer"),
                .product(name: "StoreServer", package: "StoreServer"),
            ]
        ),
        .testTarget(
            name: "MoviesTests",
            dependencies: [
                "Movies",
                .product(name: "StoreHTTPClient", package: "StoreServer"),
                .product(name: "StoreTesting", package: "StoreServer"),
            ]
        ),
    ]
)
