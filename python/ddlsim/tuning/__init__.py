"""The best settings of schemes (`tune`), and the system that suits a network (`advise`)."""
