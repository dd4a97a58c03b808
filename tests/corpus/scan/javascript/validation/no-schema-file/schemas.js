const Joi = require('joi');

exports.query = Joi.object({ lines: Joi.number().integer().required(), name: Joi.string() });
