include(GNUInstallDirs)
install(TARGETS landfall landfall-static landfall-command)
