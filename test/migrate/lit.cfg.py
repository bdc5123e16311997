import os
config.name = 'migrate'
config.test_source_root = os.path.dirname(__file__)
lit_config.load_config(config, os.path.join(os.path.dirname(__file__), '..', 'lit.common.py'))
# %migrate PROGRAM [OPTION...] migrates Inputs/PROGRAM and runs the result; see Inputs/migrate.
config.substitutions.append(('%migrate', os.path.join(config.test_source_root, 'Inputs', 'migrate')))
