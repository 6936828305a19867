"""What is asked of the results: words as of the command line, by the name of the case; folders lie in results/."""

COMPARE = {
    "systems": "systems --columns time,accuracy,seconds_per_batch,idle_fraction",
    "seeds": "seeds",
    "seeds_runs": "seeds --runs --columns time,accuracy",
    "seeds_columns": "seeds --columns bytes,loss,bytes_sent,compute_utilisation,algorithm.name",
    "seeds_and_others": "seeds two_seeds systems/ako systems/d_psgd --columns time,accuracy",
    "seeds_renamed": "seeds --label ps_sync=server",
    "seeds_twice": "seeds seeds/gossip seeds/gossip/2",
    "two_seeds": "two_seeds",
    "one_of_two": "two_seeds/local_sgd/2 two_seeds/ring_allreduce/2",
    "loss": "loss",
    "loss_columns": "loss --columns time,bytes,loss,best_loss,accuracy",
    "sites": "sites",
    "partly": "partly",
    "ends": "ends",
    "collapses": "ends/fine ends/collapses",
    "names": "names",
    "two_names": "names/first names/second",
    "one_setting": "one_setting --columns time,accuracy,loss",
    "overlap": "one_setting/diloco_layers one_setting/diloco_none",
    "codecs": "one_setting/ring_none one_setting/ring_sign one_setting/ring_top_k_0.1 one_setting/ring_top_k_0.01",
    "optimizers": "one_setting/with_sgd one_setting/with_momentum one_setting/with_adam",
    "contents": "contents",
    "files": "contents/file_here contents/file_there contents/file_other",
    "faults": "faults",
    "faults_of_one": "faults/none faults/crash faults/later faults/two_faults faults/two_others --columns time,accuracy",
    "stops": "stops",
    "stops_columns": "stops --columns stopped_by,epochs,samples,simulated_seconds,stop.epochs,busiest_link.name,name",
    "timing": "timing",
    "traced": "traced",
    "steps": "steps --columns staleness,seconds_per_batch,iterations,idle_fraction,platform.bandwidth",
    "measured": "measured",
    "measured_runs": "measured --runs --columns simulated_seconds,accuracy",
    "grid": "grid",
    "grid_columns": "grid --columns time,final_accuracy,platform.servers,messages_sent",
    "pairs": "pairs",
    "tuned": "tuned",
    "tuned_searches": "tuned tuned_tuning --columns time,accuracy",
    "search": "tuned_tuning",
}

# The same as tables of other forms.
TABLES = {
    "seeds": "seeds --columns time,accuracy,seconds_per_batch.mean", "grid": "grid --columns time,accuracy",
    "measured": "measured --columns accuracy,bytes_sent", "loss": "loss",
}

REPORT = ("seeds", "loss", "partly", "ends", "timing", "traced", "steps", "measured", "sites", "grid", "tuned", "contents",
          "one_setting/diloco_layers one_setting/diloco_none")

PLOT = {
    "curves": "seeds",
    "curves_by_bytes": "seeds --x bytes",
    "curves_by_steps": "seeds --x iterations --y loss",
    "curves_by_epochs": "seeds --x epochs --y train_loss",
    "curves_sd": "seeds --band sd",
    "curves_minmax": "seeds --band minmax",
    "curves_none": "seeds --band none",
    "curves_runs": "two_seeds --runs",
    "curves_two_seeds": "two_seeds",
    "curves_loss": "loss",
    "curves_ends": "ends",
    "curves_of_panels": "grid --facet platform.bandwidth",
    "curves_of_networks": "pairs --facet network",
    "curves_tuned": "tuned",
    "target": "seeds --kind target",
    "target_bytes": "seeds --kind target --y bytes",
    "target_asked": "seeds --kind target --target 0.2",
    "target_partly": "partly --kind target",
    "target_loss": "loss --kind target",
    "target_grid": "grid --kind target",
    "target_two_seeds": "two_seeds --kind target",
    "speed_up": "grid --kind speedup",
    "speed_up_samples": "grid --kind speedup --y samples",
    "map": "grid --kind map",
    "map_bytes": "grid --kind map --y bytes",
    "map_accuracy": "grid --kind map --y accuracy",
    "steps": "steps --kind steps",
    "staleness": "steps --kind staleness",
    "links": "traced --kind links",
}

# What is refused, by both.
REFUSED = (
    "compare nowhere",
    "compare seeds loss",
    "compare seeds --columns accurracy",
    "compare timing --columns time",
    "compare seeds --label nobody=x",
    "report nowhere",
    "report loss seeds",
    "plot seeds --kind map",
    "plot seeds --kind links",
    "plot traced/traced/1 --kind staleness",
    "plot timing",
    "plot timing --kind target",
    "plot seeds --kind target --target 0.3",
    "plot seeds --kind target --target 0.99",
    "plot seeds --facet network",
    "plot seeds --kind speedup",
    "plot seeds --kind steps",
    "plot seeds --x pages",
    "plot seeds --kind target --x time",
    "plot grid --kind map --target 0.5",
)


def name_of(words):
    """A file's name for a case without one."""
    return words.split()[0].replace("/", "_")
